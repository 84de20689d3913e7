import type { NewKey } from '#client/index.ts'
import type { KeyWords } from './words.ts'

export type Scope = NewKey['scopes'][number]

/** What a key may be permitted, by what it concerns. */
export const scopeGroups = {
  todos: ['todos:read', 'todos:create', 'todos:update', 'todos:delete'],
  members: ['members:read', 'members:create', 'members:update', 'members:delete', 'members:erase'],
  changes: ['changes:read'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>

export type ScopeGroup = keyof typeof scopeGroups

export const groupNames = Object.keys(scopeGroups) as ScopeGroup[]

export const verbOf = (scope: Scope, { verbs }: KeyWords) => verbs[scope.split(':')[1] as 'read']

/** What these permit, one text for each group. */
export const permitted = (scopes: readonly Scope[], words: KeyWords) =>
  groupNames.flatMap((group) => {
    const held = scopeGroups[group].filter((scope) => scopes.includes(scope))
    return held.length === 0
      ? []
      : [
          words.may(
            held.map((scope) => verbOf(scope, words)),
            words.groups[group],
          ),
        ]
  })

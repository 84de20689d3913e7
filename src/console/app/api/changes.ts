import type { Answer, Change, Member, Todo, Version, Webhook } from '#client/index.ts'
import { askForRead, changes, keys, members, type ReadOptions, take, todos, webhooks } from './ask.ts'
import { type DeclaredRecord, declaredAs, readDeclared, recordsOf, titleOfRecord } from './declared.ts'
import { failureOf, isGone } from './failure.ts'

/** How many changes are shown at once. */
export const changesSize = 25

interface ChangeQuery {
  /** All if undefined. */
  readonly types: readonly string[] | undefined
  readonly id: string | undefined
  readonly count: number
  /** Who made them. */
  readonly by?: string | undefined
  readonly timeFrom?: string | undefined
  readonly timeTo?: string | undefined
}

/** The newest changes, with what their records and authors are called. */
export const readChanges = async ({ count, ...query }: ChangeQuery, options: ReadOptions) => {
  const found: Change[] = []
  let [before, hasMore] = ['latest', true]
  while (hasMore && found.length < count) {
    const part = { ...query, before, size: count - found.length }
    const { value } = await askForRead(() => changes.list(part, { signal: options.signal }), options)
    found.push(...value.content)
    before = value.cursor
    hasMore = value.more
  }
  return { changes: found, hasMore, names: await readNames(found, options) }
}

/** The newest versions of a record. */
export const readHistory = (name: string, id: string, count: number, options: Partial<ReadOptions>) => {
  const { signal } = options
  const resource = declaredAs(name)
  return take<Version<object>>(
    () => {
      if (resource) return recordsOf(resource).history(id, { signal })
      return name === 'member' ? members.history(id, { signal }) : todos.history(id, { signal })
    },
    count,
    options,
  )
}

/** The versions of the records that were changed, by the ids of these. Empty where they are not kept. */
export const readVersions = async (found: readonly Change[], options: ReadOptions) => {
  const kinds = new Map(
    found.flatMap(({ type, subject }) => {
      const [kind = '', deed = ''] = type.split('.')
      const isKept = kind !== 'key' && kind !== 'webhook'
      return isKept && (deed === 'updated' || deed === 'roleChanged') ? [[subject, kind] as const] : []
    }),
  )
  const versions = [...kinds].map(async ([id, kind]) => {
    const read = await readHistory(kind, id, maxVersions, options).catch(() => [])
    return [id, read] as const
  })
  return new Map(await Promise.all(versions))
}

/** How many versions of a record are read to find what a change did. */
const maxVersions = 100

/** What a record is called, or was at last, as far as is known. */
export interface Named {
  readonly value?:
    | undefined
    | Pick<Member, 'firstName' | 'lastName'>
    | Pick<Todo, 'todoTitle'>
    | Pick<Webhook, 'url' | 'description'>
    | { readonly name: string }
  readonly isGone: boolean
}

/** By the ids of records. */
export type Names = ReadonlyMap<string, Named>

const uuidShape = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

export const isMemberId = (by: string) => uuidShape.test(by)

/** The author of a change: a member is named by its id alone. */
export const authorOf = (by: string): readonly [kind: string, id?: string] =>
  isMemberId(by) ? ['member', by] : (by.split(/:(.*)/s) as [string, string?])

export const readNames = async (found: readonly Change[], options: ReadOptions): Promise<Names> => {
  await readDeclared()
  const kinds = new Map<string, string>()
  for (const change of found) {
    const [kind, id] = authorOf(change.data.by)
    if (id) kinds.set(id, kind)
    kinds.set(change.subject, change.type.split('.')[0] ?? '')
  }
  const names = [...kinds].map(async ([id, kind]) => {
    const isDeleted = found.some(({ type, subject }) => subject === id && type === `${kind}.deleted`)
    return [id, await findName([kind, id], isDeleted, options)] as const
  })
  return new Map(await Promise.all(names))
}

/** What one record is called. */
export const findName = async (
  [kind, id]: readonly [string, string],
  isDeleted: boolean,
  options: Partial<ReadOptions>,
): Promise<Named> => {
  const { signal } = options
  const resource = declaredAs(kind)
  const named = (value: object | undefined) =>
    (resource && value ? { name: titleOfRecord(resource, value as DeclaredRecord) } : value) as Named['value']
  const readers: Readonly<Record<string, () => Promise<Answer<object>>>> = {
    member: () => members.getReduced(id, { signal }),
    todo: () => todos.get(id, { signal }),
    key: () => keys.get(id, { signal }),
    webhook: () => webhooks.get(id, { signal }),
    ...(resource && { [kind]: () => recordsOf(resource).get(id, { signal }) }),
  }
  const read = readers[kind]
  try {
    if (!isDeleted) return { isGone: false, value: named(read && (await askForRead(read, options)).value) }
  } catch (error) {
    if (!isGone(failureOf(error))) return { isGone: false }
  }
  if (kind === 'key' || kind === 'webhook') return { isGone: true }
  const past = await readHistory(kind, id, 2, options).catch(() => [])
  // It may have been restored since.
  return { isGone: !past[0]?.value, value: named(past.find(({ value }) => value)?.value ?? undefined) }
}

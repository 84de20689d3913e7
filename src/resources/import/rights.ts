import { hasScopes } from '#access/principals.ts'
import { Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Options } from './schema.ts'
import type { JobOwner } from './store.ts'

/** A key or a token needs both scopes, and also `delete` and `restore` for an import that deletes. */
export const mayImport = (
  { scopes }: Pick<Principal, 'scopes'>,
  plural: string,
  { existing }: Partial<Pick<Options, 'existing'>> = {},
) => {
  const needed = ['create', 'update', ...(existing === 'delete' ? ['delete', 'restore'] : [])]
  return scopes === undefined || needed.every((right) => scopes.has(`${plural}:${right}`))
}

/** Refuses callers who may import, but not delete. */
export const requireMayDelete = (principal: Principal, plural: string, options: Options) => {
  if (!mayImport(principal, plural, options)) throw new Problem('forbidden')
}

/** Refuses callers with scopes who did not send the file: they must not see its passwords. */
export const refuseUnlessSender = ({ owner, name }: JobOwner, principal: Principal) => {
  if (hasScopes(principal) && (owner ?? name) !== principal.name) throw new Problem('forbidden')
}

/** To undo deletes what was created, so callers with scopes undo the imports of others only if they may delete. */
export const refuseUnlessMayUndo = (by: JobOwner, principal: Principal, plural: string) => {
  if (!principal.scopes?.has(`${plural}:delete`)) refuseUnlessSender(by, principal)
}

/** The caller, as the import remembers it. */
export const callerOf = ({ kind, name, id, scopes }: Principal) => ({
  ...{ kind, name, id: id ?? null },
  scopes: scopes ? [...scopes] : null,
})

import { mayGrant, policy } from '#access/policy.ts'
import { hasScopes } from '#access/principals.ts'
import { Problem, type ResolvedMessage } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import { roleField } from './interpreting.ts'
import type { Options } from './schema.ts'
import type { Job, JobOwner } from './store.ts'

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

/** Whether the sender of a file may set roles. A preview of what it may not set would tell the present roles. */
export const maySetRoles = ({ kind, name, scopes }: Job['by']) =>
  mayGrant({ kind, name, ...(scopes && { scopes: new Set(scopes) }) }, 'members:role', policy)

export const roleNotGranted: ResolvedMessage = {
  ...{ code: 'Pattern', wording: 'Pattern.granted', target: roleField },
  args: { excess: 'members:role' },
}

/** Refuses callers who may not read the roles that the rows of others show. */
export const refuseUnlessMaySeeRoles = ({ by, columns }: Job, principal: Principal) => {
  const isRole = ({ field }: Job['columns'][number]) => field === roleField
  if (columns.some(isRole) && !mayGrant(principal, 'members:role', policy)) refuseUnlessSender(by, principal)
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

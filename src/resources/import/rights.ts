import { mayGrant, policy } from '#access/policy.ts'
import { hasScopes } from '#access/principals.ts'
import { Problem, type ResolvedMessage } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import { roleField } from './interpreting.ts'
import type { JudgeParts } from './row-faults.ts'
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

/** Whether a caller may find records of this resource by their values. Callers who may not know only ids. */
export const mayFind = (scopes: ReadonlySet<string> | undefined, plural: string) =>
  scopes === undefined || scopes.has(`${plural}:read`)

/** Refuses callers who may not read what the rows of others show in these fields: roles, and the records that references name. */
export const refuseUnlessMayRead = (
  { by, fields }: { readonly by: JobOwner; readonly fields: readonly string[] },
  referred: JudgeParts['referred'],
  principal: Principal,
) => {
  const mayRead = (field: string) => {
    const target = referred(field)
    if (target) return mayFind(principal.scopes, target.plural)
    return field !== roleField || mayGrant(principal, 'members:role', policy)
  }
  if (!fields.every(mayRead)) refuseUnlessSender(by, principal)
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

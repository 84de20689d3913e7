import { canGrant, policy } from '#access/policy.ts'
import { hasScopes } from '#access/principals.ts'
import { type CodedMessage, Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import { roleField } from './interpreting.ts'
import type { CheckContext } from './row-faults.ts'
import type { Options } from './schema.ts'
import type { Job, JobOwner } from './store.ts'

/** A key or a token needs the scopes `create` and `update`, and for an import that deletes also `delete` and `restore`. */
export const mayImport = (
  { scopes }: Pick<Principal, 'scopes'>,
  plural: string,
  { existing }: Partial<Pick<Options, 'existing'>> = {},
) => {
  const needed = ['create', 'update', ...(existing === 'delete' ? ['delete', 'restore'] : [])]
  return scopes === undefined || needed.every((right) => scopes.has(`${plural}:${right}`))
}

export const requireMayImport = (principal: Principal, plural: string, options: Options) => {
  if (!mayImport(principal, plural, options)) throw new Problem('forbidden')
}

/** Without the right to set roles, even a preview of roles is refused, because it would reveal the present roles. */
export const maySetRoles = ({ kind, name, scopes }: Job['by']) =>
  canGrant({ kind, name, ...(scopes && { scopes: new Set(scopes) }) }, 'members:role', policy)

export const roleNotGranted: CodedMessage = {
  code: 'Pattern',
  wording: 'Pattern.granted',
  target: roleField,
  args: { excess: 'members:role' },
}

/** A caller who may not find records by their values can refer to them only by id. */
export const mayFindByValue = (scopes: ReadonlySet<string> | undefined, plural: string) =>
  scopes === undefined || scopes.has(`${plural}:read`)

/** Refuses a caller who did not send the file, if the fields are roles or references that the caller may not read. */
export const refuseUnlessMayRead = (
  { sender, fields }: { readonly sender: JobOwner; readonly fields: readonly string[] },
  referred: CheckContext['referredResource'],
  principal: Principal,
) => {
  const mayRead = (field: string) => {
    const target = referred(field)
    if (target) return mayFindByValue(principal.scopes, target.plural)
    return field !== roleField || canGrant(principal, 'members:role', policy)
  }
  if (!fields.every(mayRead)) refuseUnlessSender(sender, principal)
}

/** Refuses keys and tokens with scopes that did not send the file, because they must not see its passwords. */
export const refuseUnlessSender = ({ owner, name }: JobOwner, principal: Principal) => {
  if (hasScopes(principal) && (owner ?? name) !== principal.name) throw new Problem('forbidden')
}

/** Undoing deletes the created records, so a caller with scopes who did not send the file needs the right to delete. */
export const refuseUnlessMayUndo = (sender: JobOwner, principal: Principal, plural: string) => {
  if (!principal.scopes?.has(`${plural}:delete`)) refuseUnlessSender(sender, principal)
}

/** The caller in the form in which an import stores it. */
export const toOwner = ({ kind, name, id, scopes }: Principal) => ({
  kind,
  name,
  id: id ?? null,
  scopes: scopes ? [...scopes] : null,
})

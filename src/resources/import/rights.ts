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

/** Refuses a caller who may not read the fields that are roles or references, unless only this caller has worked on the import. */
export const refuseUnlessMayRead = (
  { by, fields }: { readonly by: JobOwner; readonly fields: readonly string[] },
  referred: CheckContext['referredResource'],
  principal: Principal,
) => {
  const mayRead = (field: string, caller: Principal) => {
    const target = referred(field)
    if (target) return mayFindByValue(caller.scopes, target.plural)
    return field !== roleField || canGrant(caller, 'members:role', policy)
  }
  const hidden = fields.filter((field) => !mayRead(field, principal))
  if (hidden.length > 0) refuseUnlessSender(by, principal)
  // The rows show what they were checked with, which may be the rights of somebody else, or former rights of the sender.
  const { kind, name, checkedWith = by.scopes } = by
  const checker = { kind, name, ...(checkedWith && { scopes: new Set(checkedWith) }) }
  if (hidden.some((field) => mayRead(field, checker))) throw new Problem('forbidden')
}

/** Refuses keys and tokens with scopes that did not send the file, because they must not see its passwords. */
export const refuseUnlessSender = (sender: JobOwner, principal: Principal) => {
  if (!mayReadFile(sender, principal)) throw new Problem('forbidden')
}

export const mayReadFile = ({ owner, name }: JobOwner, principal: Principal) =>
  !hasScopes(principal) || (owner ?? name) === principal.name

/** Undoing deletes the created records, so a caller with scopes who did not send the file needs the right to delete. */
export const refuseUnlessMayUndo = (sender: JobOwner, principal: Principal, plural: string) => {
  if (!principal.scopes?.has(`${plural}:delete`)) refuseUnlessSender(sender, principal)
}

/** The stored caller of an import once this caller starts work on it. Its `checkedWith` has the scopes of both. */
export const nextOwner = (by: JobOwner, principal: Principal): Omit<JobOwner, 'by'> => {
  const owner = toOwner(principal)
  const { checkedWith = by.scopes } = by
  return {
    owner: by.name,
    ...by,
    ...owner,
    checkedWith: checkedWith && owner.scopes && [...new Set([...checkedWith, ...owner.scopes])],
  }
}

/** The caller in the form in which an import stores it. */
export const toOwner = ({ kind, name, id, scopes }: Principal) => ({
  kind,
  name,
  id: id ?? null,
  scopes: scopes ? [...scopes] : null,
})

import { hasScopes } from '#access/principals.ts'
import { Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import type { JobOwner } from './store.ts'

/** A key or a token needs both scopes. */
export const mayImport = ({ scopes }: Pick<Principal, 'scopes'>, plural: string) =>
  scopes === undefined || (scopes.has(`${plural}:create`) && scopes.has(`${plural}:update`))

/** Refuses callers with scopes who did not send the file: they must not see its passwords. */
export const refuseUnlessSender = ({ owner, name }: JobOwner, principal: Principal) => {
  if (hasScopes(principal) && (owner ?? name) !== principal.name) throw new Problem('forbidden')
}

/** To undo deletes what was created, so callers with scopes undo the imports of others only if they may delete. */
export const refuseUnlessMayUndo = (by: JobOwner, principal: Principal, plural: string) => {
  if (!principal.scopes?.has(`${plural}:delete`)) refuseUnlessSender(by, principal)
}

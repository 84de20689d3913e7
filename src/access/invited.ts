import type { Problem } from '#core/problem.ts'
import type { Caller } from '#http/api/guard.ts'
import type { Principal } from '#http/api/principal.ts'
import { authorizationOf } from './authorization.ts'
import type { Authenticate } from './principals.ts'
import type { Throttle } from './throttle.ts'

interface InvitationParts {
  readonly find: (secret: string) => Promise<Principal | undefined>
  readonly throttle: Pick<Throttle, 'run'>
  readonly refusal: (caller: Caller) => Problem
}

const invitationHeader = /^bearer +(ri_[\w-]{43}) *$/i

/** Admits the bearer of an invitation in every access mode. A wrong invitation counts like a wrong password. */
export const withInvitations =
  (otherwise: Authenticate, { find, throttle, refusal }: InvitationParts): Authenticate =>
  (caller) => {
    const secret = invitationHeader.exec(caller.incoming.headers.authorization ?? '')?.[1]
    if (secret === undefined) return otherwise(caller)
    authorizationOf(caller.incoming)
    return throttle
      .run({ signId: secret, address: caller.address }, () => find(secret))
      .then((principal) => {
        if (!principal) throw refusal(caller)
        return principal
      })
  }

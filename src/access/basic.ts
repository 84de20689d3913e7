import { fold } from '#core/fold.ts'
import type { PasswordHasher } from '#core/password.ts'
import { overloaded } from '#core/problem.ts'
import type { Caller } from '#http/api/guard.ts'
import type { Principal } from '#http/api/principal.ts'
import { authorizationOf } from './authorization.ts'
import { basicRequired } from './challenge.ts'
import { type Credential, readCredential } from './credential.ts'
import type { Logins } from './logins.ts'
import { type Authenticate, administrator, type MemberAccess, memberPrincipal } from './principals.ts'
import { type ServiceSecretAuth, serviceSecretIn } from './service-secret.ts'
import { checkGuess, type Throttle } from './throttle.ts'

/** The administrator, set by the settings or made at the first start. It is not a member. */
export interface Administrator {
  readonly signId: string
  readonly passwordHash: string
  /** Changes with the sign id and the password. */
  readonly stamp: string
}

interface BasicParts {
  readonly administrator: Administrator
  /** Finds the member with a sign id and a password. Takes just as long if there is none. */
  readonly signIn: (signId: string, password: string) => Promise<MemberAccess | undefined>
  /** Finds the member with this id. Undefined if it is deleted or suspended. */
  readonly find: (memberId: string) => Promise<MemberAccess | undefined>
  readonly passwords: PasswordHasher
  readonly logins: Logins
  readonly throttle: Pick<Throttle, 'run' | 'failed'>
  readonly serviceSecret: ServiceSecretAuth
}

/** All password work shares one queue. Most of it is reserved for new passwords and renewed logins. */
const strangerQueueLimit = 16

/** HTTP Basic (RFC 7617, decision 0028). A recently verified credential costs one digest, any other a password check. */
export const basicAccess = (parts: BasicParts): Authenticate => {
  const { logins } = parts

  const check = async (credential: Credential, caller: Caller): Promise<Principal> => {
    const principal = await checkGuess(parts, {
      credential: credential.text,
      attempt: { signId: credential.signId, address: caller.address },
      check: async () => {
        if (parts.passwords.waiting >= strangerQueueLimit) throw overloaded()
        return known(await ownerOf(parts, credential))
      },
    })
    if (principal) return principal
    throw basicRequired(caller)
  }

  /** A remembered login is checked again before it expires, in the background; if that fails, the next request checks it. */
  const renew = (credential: Credential) => () => {
    logins
      .check(credential.text, 'renewal', async () => known(await ownerOf(parts, credential)))
      .catch(() => undefined)
  }

  return (caller) => {
    const { incoming, exchange } = caller
    const authorization = authorizationOf(incoming)
    if (authorization === undefined) throw basicRequired(caller)
    const secret = serviceSecretIn(authorization)
    if (secret !== undefined) return parts.serviceSecret(secret, caller)
    const spelled = logins.findSpelled(authorization)
    if (spelled) return spelled
    const credential = readCredential(authorization)
    if (!credential) throw basicRequired(caller)
    const remembered = logins.find(credential.text, renew(credential))
    if (!remembered) {
      exchange.triedSignId = credential.signId
      return check(credential, caller)
    }
    logins.spell(credential.text, authorization)
    return remembered
  }
}

const known = (principal: Principal | undefined) => principal && { principal }

/** The administrator's sign id never signs in a member, even if a member has the same one. */
const ownerOf = async (
  parts: BasicParts,
  { signId, password }: Credential,
): Promise<Principal | undefined> => {
  const { administrator: admin, signIn, passwords } = parts
  if (fold(signId) === fold(admin.signId)) {
    const isRight = await passwords.verify(admin.passwordHash, password)
    return isRight ? { ...administrator, stamp: admin.stamp } : undefined
  }
  const found = await signIn(signId, password)
  return found && signedIn(parts, found)
}

/** A member who signed in with a password. A new role changes its rights; a new password ends the principal. */
const signedIn = (parts: BasicParts, standing: MemberAccess): Principal => {
  const { memberId, isAdministrator, stamp, credentialStamp } = standing
  const reread = async () => {
    const now = await parts.find(memberId)
    return now?.credentialStamp === credentialStamp ? signedIn(parts, now) : undefined
  }
  return { ...memberPrincipal(memberId, isAdministrator), stamp, reread }
}

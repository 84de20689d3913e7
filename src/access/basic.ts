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

/** The administrator that the settings name or that the first start created. The administrator is not a member. */
export interface Administrator {
  readonly signId: string
  readonly passwordHash: string
  /** Changes with the sign id and the password. */
  readonly stamp: string
}

interface BasicParts {
  readonly administrator: Administrator
  /** Finds the member with a sign id and a password. Takes just as long if the sign id is unknown. */
  readonly signIn: (signId: string, password: string) => Promise<MemberAccess | undefined>
  /** Finds the member with this id. Undefined if the member is deleted or suspended. */
  readonly find: (memberId: string) => Promise<MemberAccess | undefined>
  readonly passwords: PasswordHasher
  readonly logins: Logins
  readonly throttle: Pick<Throttle, 'run' | 'countFailure'>
  readonly serviceSecret: ServiceSecretAuth
}

/** Logins that are not cached use only this part of the queue of password hashing. The rest is reserved for new passwords and renewals. */
const maxQueueForNewLogins = 16

/** HTTP Basic (RFC 7617, decision 0028). A recently verified credential costs one digest, any other credential a password check. */
export const basicAccess = (parts: BasicParts): Authenticate => {
  const { logins } = parts

  const check = async (credential: Credential, caller: Caller): Promise<Principal> => {
    const principal = await checkGuess(parts, {
      credential: credential.canonicalText,
      attempt: { signId: credential.signId, address: caller.address },
      check: async () => {
        if (parts.passwords.waiting >= maxQueueForNewLogins) throw overloaded()
        return toLogin(await ownerOf(parts, credential))
      },
    })
    if (principal) return principal
    throw basicRequired(caller)
  }

  /** Checks a cached login again in the background before it expires. If that fails, the next request checks the credential. */
  const renew = (credential: Credential) => () => {
    logins
      .check(credential.canonicalText, 'renewal', async () => toLogin(await ownerOf(parts, credential)))
      .catch(() => undefined)
  }

  return (caller) => {
    const { incoming, exchange } = caller
    const authorization = authorizationOf(incoming)
    if (authorization === undefined) throw basicRequired(caller)
    const secret = serviceSecretIn(authorization)
    if (secret !== undefined) return parts.serviceSecret(secret, caller)
    const cachedPrincipal = logins.findByHeader(authorization)
    if (cachedPrincipal) return cachedPrincipal
    const credential = readCredential(authorization)
    if (!credential) throw basicRequired(caller)
    const login = logins.find(credential.canonicalText, renew(credential))
    if (!login) {
      exchange.triedSignId = credential.signId
      return check(credential, caller)
    }
    logins.addHeader(credential.canonicalText, authorization)
    return login
  }
}

const toLogin = (principal: Principal | undefined) => principal && { principal }

/** The sign id of the administrator never signs in a member, even if a member has the same sign id. */
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
  return found && memberPrincipalOf(parts, found)
}

/** The principal of a member who signed in with a password. A new role changes its rights; a new password ends the principal. */
const memberPrincipalOf = (parts: BasicParts, member: MemberAccess): Principal => {
  const { memberId, isAdministrator, stamp, credentialStamp } = member
  const reread = async () => {
    const now = await parts.find(memberId)
    return now?.credentialStamp === credentialStamp ? memberPrincipalOf(parts, now) : undefined
  }
  return { ...memberPrincipal(memberId, isAdministrator), stamp, reread }
}

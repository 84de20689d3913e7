import { fold } from '#core/fold.ts'
import type { PasswordHasher } from '#core/password.ts'
import { overloaded } from '#core/problem.ts'
import type { Principal } from '#http/guard.ts'
import { authorizationOf } from './authorization.ts'
import { basicRequired } from './challenge.ts'
import { type Credential, readCredential } from './credential.ts'
import type { Logins } from './logins.ts'
import { type Authenticate, administrator, memberName, memberPrincipal } from './principals.ts'
import type { Throttle } from './throttle.ts'

/** The one who administers: known by the settings or since the first start, and no member. */
export interface Administrator {
  readonly signId: string
  readonly passwordHash: string
}

export interface BasicParts {
  readonly administrator: Administrator
  /** Who a sign id and a password belong to. It takes as long when there is nobody. */
  readonly signIn: (signId: string, password: string) => Promise<{ readonly memberId: string } | undefined>
  readonly passwords: PasswordHasher
  readonly logins: Logins
  readonly throttle: Throttle
}

/** All checks wait in one queue: those of strangers leave most of it to new passwords and to known logins. */
const strangersWaiting = 16

/** HTTP Basic (RFC 7617, decision 0028): a credential that was right a moment ago costs one digest, any other one a password check. */
export const basicAccess = (parts: BasicParts): Authenticate => {
  const { logins, throttle } = parts

  const check = async (credential: Credential, address: string): Promise<Principal> => {
    const attempt = { signId: credential.signId, address }
    let isShared = true
    const principal = await logins.check(credential.text, address, () => {
      isShared = false
      return throttle.run(attempt, async () => {
        if (parts.passwords.waiting >= strangersWaiting) throw overloaded()
        return known(await ownerOf(parts, credential))
      })
    })
    if (principal) return principal
    if (isShared) await throttle.failed(attempt)
    throw basicRequired()
  }

  /** A login that was right is checked again in good time; should that fail now, it is checked when it is used next. */
  const renew = (credential: Credential) => () => {
    logins
      .check(credential.text, 'renewal', async () => known(await ownerOf(parts, credential)))
      .catch(() => undefined)
  }

  return ({ incoming, address }) => {
    const authorization = authorizationOf(incoming)
    if (authorization === undefined) throw basicRequired()
    const spelled = logins.findSpelled(authorization)
    if (spelled) return spelled
    const credential = readCredential(authorization)
    if (!credential) throw basicRequired()
    const known = logins.find(credential.text, renew(credential))
    if (!known) return check(credential, address)
    logins.spell(credential.text, authorization)
    return known
  }
}

const known = (principal: Principal | undefined) => principal && { principal }

/** The administrator's sign id is nobody else's, whoever has it among the members. */
const ownerOf = async (
  { administrator: admin, signIn, passwords, throttle }: BasicParts,
  { signId, password }: Credential,
): Promise<Principal | undefined> => {
  if (fold(signId) === fold(admin.signId)) {
    return (await passwords.verify(admin.passwordHash, password)) ? administrator : undefined
  }
  const found = await signIn(signId, password)
  if (!found) return undefined
  return memberPrincipal(found.memberId, (check) => throttle.prove(memberName(found.memberId), check))
}

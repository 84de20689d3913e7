import type { Problem } from '#core/problem.ts'
import type { Caller } from '#http/api/guard.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Logins, VerifiedLogin } from './logins.ts'
import { checkGuess, type Throttle } from './throttle.ts'

interface ServiceSecretParts {
  /** A recently verified secret costs one digest. */
  readonly logins: Logins
  readonly ownerOf: (secret: string) => Promise<VerifiedLogin | undefined>
  readonly throttle: Pick<Throttle, 'run' | 'failed'>
  readonly refusal: (caller: Caller) => Problem
}

/** Finds the owner of a secret, or throws the refusal. */
export type ServiceSecretAuth = (secret: string, caller: Caller) => Principal | Promise<Principal>

/** The secret of a Bearer header, if it looks like a token or a key of this service. */
export const serviceSecretIn = (header: string): string | undefined => shape.exec(header)?.[1]

const shape = /^bearer +(r[kt]_[\w.-]{1,2100}) *$/i

/** Authenticates tokens and keys that the service made. Failures count like those of passwords, but by the whole secret: tokens begin alike. */
export const serviceSecretAuth =
  (parts: ServiceSecretParts): ServiceSecretAuth =>
  (secret, caller) =>
    parts.logins.find(secret) ?? check(parts, secret, caller)

const check = async (parts: ServiceSecretParts, secret: string, caller: Caller) => {
  const principal = await checkGuess(parts, {
    credential: secret,
    attempt: { signId: secret, address: caller.address },
    check: () => parts.ownerOf(secret),
  })
  if (principal) return principal
  throw parts.refusal(caller)
}

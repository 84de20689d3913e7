import type { Problem } from '#core/problem.ts'
import type { Caller } from '#http/api/guard.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Logins, VerifiedLogin } from './logins.ts'
import { checkGuess, type Throttle } from './throttle.ts'

interface ServiceSecretParts {
  /** Caches verified secrets: a cached secret costs one digest. */
  readonly logins: Logins
  readonly ownerOf: (secret: string) => Promise<VerifiedLogin | undefined>
  readonly throttle: Pick<Throttle, 'run' | 'countFailure'>
  readonly refusal: (caller: Caller) => Problem
}

/** Finds the owner of a secret, or throws the refusal. */
export type ServiceSecretAuth = (secret: string, caller: Caller) => Principal | Promise<Principal>

/** The secret in a Bearer header, if the secret looks like a token or a key of this service. */
export const serviceSecretIn = (header: string): string | undefined => secretHeader.exec(header)?.[1]

const secretHeader = /^bearer +(r[kt]_[\w.-]{1,2100}) *$/i

/** Authenticates tokens and keys that the service made. Failures count like wrong passwords, and the whole secret takes the place of the sign id. */
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

import type { Principal } from '#http/api/guard.ts'
import type { Known, Logins } from './logins.ts'
import type { Throttle } from './throttle.ts'

interface OwnBearerParts {
  readonly logins: Logins
  /** Whom a token or a key belongs to, if anybody. */
  readonly ownerOf: (secret: string) => Promise<Known | undefined>
  readonly throttle: Pick<Throttle, 'run' | 'failed'>
}

/** The secret of a Bearer header, if this service makes such secrets: tokens and keys. */
export const ownSecret = (header: string): string | undefined => shape.exec(header)?.[1]

const shape = /^bearer +(r[kt]_[\w.-]{1,2100}) *$/i

/** Enough to tell one secret from another, and too little to use it. */
const shownLength = 16

/** Tokens and keys that the service made itself. Those recently verified cost one digest; failures count as those of passwords. */
export const ownBearer =
  ({ logins, ownerOf, throttle }: OwnBearerParts) =>
  (secret: string, address: string): Principal | Promise<Principal | undefined> =>
    logins.find(secret) ?? check({ logins, ownerOf, throttle }, secret, address)

const check = async ({ logins, ownerOf, throttle }: OwnBearerParts, secret: string, address: string) => {
  const attempt = { signId: secret.slice(0, shownLength), address }
  let isShared = true
  const principal = await logins.check(secret, address, () => {
    isShared = false
    return throttle.run(attempt, () => ownerOf(secret))
  })
  if (!principal && isShared) await throttle.failed(attempt)
  return principal
}

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock, Instant } from '#core/clock.ts'
import { Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'

export const tokenLifetimeMs = 12 * 60 * 60 * 1000

/** The content of a token: its owner, a stamp of the owner's password and role, and the time for which it is valid. */
export interface TokenClaims {
  readonly name: string
  readonly stamp: string
  readonly issuedAt: Instant
  readonly expiresAt: Instant
}

interface TokenParts {
  /** Equal in all instances. */
  readonly secret: Uint8Array
  readonly clock: Clock
  readonly tokenEnds: {
    find(name: string): Promise<Instant | undefined>
    end(name: string): Promise<void>
  }
}

/** Tokens are signed and contain their claims, so the service stores no tokens (decision 0044). */
export const tokens = ({ secret, clock, tokenEnds }: TokenParts) => {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest()

  return {
    /** Refuses callers who did not sign in with a password, so that a token cannot prolong itself. */
    async create({ name, stamp }: Principal) {
      if (stamp === undefined) throw new Problem('forbidden')
      const issuedAt = Math.max(clock.now(), ((await tokenEnds.find(name)) ?? 0) + 1)
      const expiresAt = issuedAt + tokenLifetimeMs
      const text = Buffer.from(JSON.stringify([name, stamp, issuedAt, expiresAt])).toString('base64url')
      return { token: `rt_${text}.${sign(text).toString('base64url')}`, expiresAt, version: 1 }
    },

    /** Ends all tokens of the caller, on every instance. */
    async end({ name }: Principal): Promise<undefined> {
      await tokenEnds.end(name)
    },

    /** The claims of a token. Undefined if this service did not sign it. */
    read(token: string): TokenClaims | undefined {
      const [, text, signature] = tokenShape.exec(token) ?? []
      if (text === undefined || signature === undefined) return undefined
      if (!timingSafeEqual(sign(text), Buffer.from(signature, 'base64url'))) return undefined
      const [name, stamp, issuedAt, expiresAt] = JSON.parse(Buffer.from(text, 'base64url').toString())
      return { name, stamp, issuedAt, expiresAt }
    },
    isValid: async ({ name, issuedAt, expiresAt }: TokenClaims) =>
      expiresAt > clock.now() && issuedAt > ((await tokenEnds.find(name)) ?? 0),
  }
}

export type Tokens = ReturnType<typeof tokens>

/** The two unused bits in the last character of a signature must be zero, so that a token has only one encoding. */
const tokenShape = /^rt_([\w-]{1,2000})\.([\w-]{42}[AEIMQUYcgkosw048])$/

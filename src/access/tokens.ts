import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock, Instant } from '#core/clock.ts'
import { Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'

export const tokenMs = 12 * 60 * 60 * 1000

/** The content of a token: its owner, a stamp of the owner's password and role, and the time for which it is valid. */
export interface Claims {
  readonly name: string
  readonly stamp: string
  readonly madeAt: Instant
  readonly expiresAt: Instant
}

interface TokenParts {
  /** The same for every instance. */
  readonly secret: Uint8Array
  readonly clock: Clock
  readonly ends: {
    find(name: string): Promise<Instant | undefined>
    end(name: string): Promise<void>
  }
}

/** Tokens are signed and complete, so the service stores none of them (decision 0044). */
export const tokens = ({ secret, clock, ends }: TokenParts) => {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest()

  return {
    /** Refuses callers who did not sign in with a password, so that a token cannot prolong itself. */
    async create({ name, stamp }: Principal) {
      if (stamp === undefined) throw new Problem('forbidden')
      const madeAt = Math.max(clock.now(), ((await ends.find(name)) ?? 0) + 1)
      const expiresAt = madeAt + tokenMs
      const text = Buffer.from(JSON.stringify([name, stamp, madeAt, expiresAt])).toString('base64url')
      return { token: `rt_${text}.${sign(text).toString('base64url')}`, expiresAt, version: 1 }
    },

    /** Ends all tokens of the caller, on every instance. */
    async end({ name }: Principal): Promise<undefined> {
      await ends.end(name)
    },

    /** The claims of a token. Undefined if this service did not sign it. */
    read(token: string): Claims | undefined {
      const [, text, signature] = shape.exec(token) ?? []
      if (text === undefined || signature === undefined) return undefined
      if (!timingSafeEqual(sign(text), Buffer.from(signature, 'base64url'))) return undefined
      const [name, stamp, madeAt, expiresAt] = JSON.parse(Buffer.from(text, 'base64url').toString())
      return { name, stamp, madeAt, expiresAt }
    },
    isValid: async ({ name, madeAt, expiresAt }: Claims) =>
      expiresAt > clock.now() && madeAt > ((await ends.find(name)) ?? 0),
  }
}

export type Tokens = ReturnType<typeof tokens>

/** The two unused bits in the last character of a signature must be zero, so that a token has only one spelling. */
const shape = /^rt_([\w-]{1,2000})\.([\w-]{42}[AEIMQUYcgkosw048])$/

import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '#core/clock.ts'
import { type RateLimit, rateLimit } from '#http/api/rate-limit.ts'
import { allowances } from '#ledger/allowances.ts'
import type { Database } from '#sql/database.ts'
import type { Config } from '#src/config.ts'

/** Counts each caller's requests against one rate. */
export interface Counting {
  readonly rate: Config['RATE_LIMIT']
  readonly limit: RateLimit | undefined
  sweep(): Promise<number>
}

interface CountingGround {
  readonly db: Database
  readonly clock: Clock
  readonly warn: (error: unknown) => void
}

/** Continues the previous counting if its rate is the same. */
export const countingAt = (
  rate: Config['RATE_LIMIT'],
  { db, clock, warn }: CountingGround,
  before: Counting | undefined,
): Counting => {
  if (before && isDeepStrictEqual(before.rate, rate)) return before
  if (rate === 'off') return { rate, limit: undefined, sweep: async () => 0 }
  const shared = db.engine === 'sqlite' ? undefined : allowances({ db, clock, rate })
  const limit = rateLimit({ rate, clock, shared, lost: warn })
  return { rate, limit, sweep: async () => shared?.sweep() ?? 0 }
}

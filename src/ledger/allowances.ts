import { createHash } from 'node:crypto'
import type { Clock, Instant } from '#core/clock.ts'
import type { Allowances, Rate } from '#http/api/rate-limit.ts'
import type { Database, Row } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import { type Sweepable, sweepExpired } from './sweep.ts'

interface AllowanceParts {
  readonly db: Database
  readonly clock: Clock
  readonly rate: Rate
}

/** Counts the requests of each caller for all instances. A window begins with its first request. Changing the rate resets all counts. */
export const allowances = ({ db, clock, rate }: AllowanceParts): Allowances & Sweepable => ({
  async take(caller, wanted) {
    const scope = createHash('sha256').update(`${rate.count}/${rate.seconds} ${caller}`).digest('base64url')
    const [after] = await db.write((tx) =>
      tx.read(takeQuery({ scope, wanted, rate, now: clock.now() }), toAllowance),
    )
    if (!after) throw new Error('An allowance was taken, and the database returned no row.')
    const before = after.taken - wanted
    const granted = Math.max(0, Math.min(wanted, rate.count - before))
    return { granted, left: Math.max(0, rate.count - after.taken), endsAt: after.endsAt }
  },

  sweep: (now) => sweepExpired(db, { table: 'allowance', keyColumn: 'scope', expiryColumn: 'ends_at' }, now),
})

interface TakeRequest {
  readonly scope: string
  readonly wanted: number
  readonly rate: Rate
  readonly now: Instant
}

/**
 * A single statement, so that no instance loses a race and must retry. `taken` may exceed the rate, because it also counts refused
 * requests. An end more than two windows ahead was written before the clock was set back, and is ignored.
 */
const takeQuery = ({ scope, wanted, rate, now }: TakeRequest) => {
  const windowMs = rate.seconds * 1000
  const endsAt = now + windowMs
  const isCurrentWindow = sql`allowance.ends_at BETWEEN ${now + 1} AND ${endsAt + windowMs}`
  return sql`
    INSERT INTO allowance (scope, taken, ends_at) VALUES (${key(scope)}, ${wanted}, ${endsAt})
    ON CONFLICT (scope) DO UPDATE SET
      taken = ${wanted} + CASE WHEN ${isCurrentWindow} THEN allowance.taken ELSE 0 END,
      ends_at = CASE WHEN ${isCurrentWindow} THEN allowance.ends_at ELSE ${endsAt} END
    RETURNING taken, ends_at`
}

interface Allowance {
  readonly taken: number
  readonly endsAt: Instant
}

const toAllowance = (row: Row): Allowance => ({ taken: Number(row.taken), endsAt: Number(row.ends_at) })

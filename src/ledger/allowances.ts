import { createHash } from 'node:crypto'
import type { Clock, Instant } from '#core/clock.ts'
import { type Allowances, type Grant, isWithinWindow, type Rate } from '#http/api/rate-limit.ts'
import type { Database, Row, Transaction } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import { untilSwapped } from './swap.ts'
import { sweepExpired } from './sweep.ts'

interface AllowanceParts {
  readonly db: Database
  readonly clock: Clock
  readonly rate: Rate
}

/**
 * Keeps what each caller has taken, for all instances. A window begins with its first request. After a change of the rate,
 * counting starts anew.
 */
export const allowances = ({
  db,
  clock,
  rate,
}: AllowanceParts): Allowances & { sweep(): Promise<number> } => ({
  take: (caller, wanted) =>
    db.write((tx) => {
      const scope = createHash('sha256').update(`${rate.count}/${rate.seconds} ${caller}`).digest('base64url')
      return untilSwapped(() => tryTake(tx, { scope, wanted, rate, now: clock.now() }))
    }),

  sweep: () => sweepExpired(db, { table: 'allowance', until: 'ends_at' }, clock.now()),
})

interface TakeRequest {
  readonly scope: string
  readonly wanted: number
  readonly rate: Rate
  readonly now: Instant
}

/** Undefined if another instance changed the row after it was read. */
const tryTake = async (tx: Transaction, request: TakeRequest): Promise<Grant | undefined> => {
  const { scope, wanted, rate, now } = request
  const [known] = await tx.read(sql`SELECT * FROM allowance WHERE scope = ${key(scope)}`, toAllowance)
  const isCurrent = known !== undefined && isWithinWindow(known.endsAt - now, rate)
  const taken = isCurrent ? known.taken : 0
  const endsAt = isCurrent ? known.endsAt : now + rate.seconds * 1000
  const granted = Math.min(wanted, rate.count - taken)
  const grant = { granted, left: rate.count - taken - granted, endsAt }
  if (granted === 0) return grant
  return (await put(tx, scope, { known, next: { taken: taken + granted, endsAt } })) ? grant : undefined
}

interface Allowance {
  readonly taken: number
  readonly endsAt: Instant
}

interface Step {
  readonly known: Allowance | undefined
  readonly next: Allowance
}

const put = async (tx: Transaction, scope: string, { known, next }: Step): Promise<boolean> => {
  const changed = known
    ? await tx.run(sql`
        UPDATE allowance SET taken = ${next.taken}, ends_at = ${next.endsAt}
        WHERE scope = ${key(scope)} AND taken = ${known.taken} AND ends_at = ${known.endsAt}`)
    : await tx.run(sql`
        INSERT INTO allowance (scope, taken, ends_at) VALUES (${key(scope)}, ${next.taken}, ${next.endsAt})
        ON CONFLICT DO NOTHING`)
  return changed === 1
}

const toAllowance = (row: Row): Allowance => ({ taken: Number(row.taken), endsAt: Number(row.ends_at) })

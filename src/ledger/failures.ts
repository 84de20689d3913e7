import type { Clock, Instant } from '#core/clock.ts'
import type { Database, Row, Transaction } from '#sql/database.ts'
import { key, lookup, sql } from '#sql/query.ts'
import { untilSwapped } from './swap.ts'
import { sweepExpired } from './sweep.ts'

export interface Failures {
  readonly count: number
  readonly blockedUntil: Instant
  readonly forgottenAt: Instant
}

/** Keeps failed logins for every instance, and across restarts. */
export const failureBook = (db: Database, clock: Clock) => ({
  find: (scope: string): Promise<Failures | undefined> => db.find(byScope(scope), toFailures),

  async change(scope: string, next: (known: Failures | undefined) => Failures): Promise<void> {
    await db.write((tx) =>
      untilSwapped(async () => {
        const [known] = await tx.read(byScope(scope), toFailures)
        return put(tx, scope, { known, next: next(known) })
      }),
    )
  },

  clear: async (scope: string): Promise<void> => {
    await db.run(sql`DELETE FROM login_failure WHERE scope = ${key(scope)}`)
  },

  /** Deletes some of the expired records, and returns how many. */
  sweep: (): Promise<number> =>
    sweepExpired(db, { table: 'login_failure', until: 'forgotten_at' }, clock.now()),

  /** Everything is written immediately, so there is nothing left to write. */
  close: async () => undefined,
})

const byScope = lookup({ select: 'SELECT *', from: 'login_failure', key: 'scope' })

interface Step {
  readonly known: Failures | undefined
  readonly next: Failures
}

/** Undefined if another instance changed the row after it was read. */
const put = async (tx: Transaction, scope: string, { known, next }: Step): Promise<Failures | undefined> => {
  const { count, blockedUntil, forgottenAt } = next
  const changed = known
    ? await tx.run(sql`
        UPDATE login_failure
        SET failures = ${count}, blocked_until = ${blockedUntil}, forgotten_at = ${forgottenAt}
        WHERE scope = ${key(scope)} AND failures = ${known.count} AND forgotten_at = ${known.forgottenAt}`)
    : await tx.run(sql`
        INSERT INTO login_failure (scope, failures, blocked_until, forgotten_at)
        VALUES (${key(scope)}, ${count}, ${blockedUntil}, ${forgottenAt})
        ON CONFLICT DO NOTHING`)
  return changed === 1 ? next : undefined
}

const toFailures = (row: Row): Failures => ({
  count: Number(row.failures),
  blockedUntil: Number(row.blocked_until),
  forgottenAt: Number(row.forgotten_at),
})

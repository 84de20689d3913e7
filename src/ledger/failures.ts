import type { Clock, Instant } from '#core/clock.ts'
import type { Database, Row } from '#sql/database.ts'
import { key, lookup, sql } from '#sql/query.ts'
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
    await db.write(async (tx) => {
      const [known] = await tx.read(locked(scope), toFailures)
      const { count, blockedUntil, forgottenAt } = next(known?.count ? known : undefined)
      await tx.run(sql`
        UPDATE login_failure
        SET failures = ${count}, blocked_until = ${blockedUntil}, forgotten_at = ${forgottenAt}
        WHERE scope = ${key(scope)}`)
    })
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

/** The row as it is, made first if there is none. No other instance changes it before this transaction ends. */
const locked = (scope: string) => sql`
  INSERT INTO login_failure (scope, failures, blocked_until, forgotten_at) VALUES (${key(scope)}, 0, 0, 0)
  ON CONFLICT (scope) DO UPDATE SET failures = login_failure.failures
  RETURNING *`

const toFailures = (row: Row): Failures => ({
  count: Number(row.failures),
  blockedUntil: Number(row.blocked_until),
  forgottenAt: Number(row.forgotten_at),
})

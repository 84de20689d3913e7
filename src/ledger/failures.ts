import type { Clock, Instant } from '#core/clock.ts'
import { conflict } from '#core/problem.ts'
import type { Database, Row, Transaction } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'

export interface Failures {
  readonly count: number
  readonly blockedUntil: Instant
  readonly forgottenAt: Instant
}

const sweptAtOnce = 500

/** How often another instance may be faster. */
const mostTries = 8

/** Keeps failed logins for every instance, also over a restart. */
export const failureBook = (db: Database, clock: Clock) => ({
  find: (scope: string): Promise<Failures | undefined> => db.find(byScope(scope), toFailures),

  change: (scope: string, next: (known: Failures | undefined) => Failures): Promise<void> =>
    db.write(async (tx) => {
      for (let tries = 0; tries < mostTries; tries++) {
        const [known] = await tx.read(byScope(scope), toFailures)
        if (await put(tx, scope, { known, next: next(known) })) return
      }
      throw conflict()
    }),

  close: async () => undefined,

  clear: async (scope: string): Promise<void> => {
    await db.run(sql`DELETE FROM login_failure WHERE scope = ${key(scope)}`)
  },

  /** Forgets some of what has expired, and says how many. */
  sweep: (): Promise<number> =>
    db.run(sql`
      DELETE FROM login_failure WHERE scope IN
        (SELECT scope FROM login_failure WHERE forgotten_at <= ${clock.now()} LIMIT ${sweptAtOnce})`),
})

const byScope = (scope: string) => sql`SELECT * FROM login_failure WHERE scope = ${key(scope)}`

interface Step {
  readonly known: Failures | undefined
  readonly next: Failures
}

/** False when what was known is no longer so. */
const put = async (tx: Transaction, scope: string, { known, next }: Step): Promise<boolean> => {
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
  return changed === 1
}

const toFailures = (row: Row): Failures => ({
  count: Number(row.failures),
  blockedUntil: Number(row.blocked_until),
  forgottenAt: Number(row.forgotten_at),
})

import type { Instant } from '#core/clock.ts'
import type { Database, Row } from '#sql/database.ts'
import { key, lookup, sql } from '#sql/query.ts'
import { sweepExpired } from './sweep.ts'

export interface Failures {
  readonly count: number
  readonly blockedUntil: Instant
  readonly forgottenAt: Instant
}

/** Stores failed logins for all instances. One that the storage refuses stays in memory until it expires. */
export const failureStore = (db: Database) => {
  const held = new Map<string, Failures>()

  const find = async (scope: string): Promise<Failures | undefined> =>
    held.get(scope) ?? (await db.find(byScope(scope), toFailures))

  return {
    find,

    /** Rejects if the failure could not be written. */
    async change(scope: string, next: (known: Failures | undefined) => Failures): Promise<void> {
      try {
        await db.write(async (tx) => {
          const [written] = await tx.read(locked(scope), toFailures)
          const { count, blockedUntil, forgottenAt } = next(
            held.get(scope) ?? (written?.count ? written : undefined),
          )
          await tx.run(sql`
            UPDATE login_failure
            SET failures = ${count}, blocked_until = ${blockedUntil}, forgotten_at = ${forgottenAt}
            WHERE scope = ${key(scope)}`)
        })
        held.delete(scope)
      } catch (error) {
        const known = await find(scope).catch(() => undefined)
        // Meanwhile another failure may have been kept in memory.
        held.set(scope, next(held.get(scope) ?? known))
        throw error
      }
    },

    async clear(scope: string): Promise<void> {
      held.delete(scope)
      await db.run(sql`DELETE FROM login_failure WHERE scope = ${key(scope)}`)
    },

    async sweep(now: Instant): Promise<number> {
      for (const [scope, { forgottenAt }] of held) if (forgottenAt <= now) held.delete(scope)
      return sweepExpired(db, { table: 'login_failure', key: 'scope', until: 'forgotten_at' }, now)
    },
  }
}

const byScope = lookup({ select: 'SELECT *', from: 'login_failure', key: 'scope' })

/** Selects the row, or creates it, and locks it until the transaction ends. */
const locked = (scope: string) => sql`
  INSERT INTO login_failure (scope, failures, blocked_until, forgotten_at) VALUES (${key(scope)}, 0, 0, 0)
  ON CONFLICT (scope) DO UPDATE SET failures = login_failure.failures
  RETURNING *`

const toFailures = (row: Row): Failures => ({
  count: Number(row.failures),
  blockedUntil: Number(row.blocked_until),
  forgottenAt: Number(row.forgotten_at),
})

import type { Instant } from '#core/clock.ts'
import type { Database, Row } from '#sql/database.ts'
import { key, lookup, sql } from '#sql/query.ts'
import { sweepExpired } from './sweep.ts'

export interface Failures {
  readonly count: number
  readonly blockedUntil: Instant
  readonly forgottenAt: Instant
}

/** Stores failed logins for all instances. A failure that cannot be written stays in the memory of this instance until it expires. */
export const failureStore = (db: Database) => {
  const inMemory = new Map<string, Failures>()

  const find = async (scope: string): Promise<Failures | undefined> =>
    inMemory.get(scope) ?? (await db.find(failuresByScope(scope), toFailures))

  return {
    find,

    /** Rejects if the failure could not be written. */
    async change(scope: string, next: (known: Failures | undefined) => Failures): Promise<void> {
      try {
        await db.write(async (tx) => {
          const [written] = await tx.read(lockRow(scope), toFailures)
          const { count, blockedUntil, forgottenAt } = next(
            inMemory.get(scope) ?? (written?.count ? written : undefined),
          )
          await tx.run(sql`
            UPDATE login_failure
            SET failures = ${count}, blocked_until = ${blockedUntil}, forgotten_at = ${forgottenAt}
            WHERE scope = ${key(scope)}`)
        })
        inMemory.delete(scope)
      } catch (error) {
        const known = await find(scope).catch(() => undefined)
        // Another failure may have been put into memory in the meantime.
        inMemory.set(scope, next(inMemory.get(scope) ?? known))
        throw error
      }
    },

    async clear(scope: string): Promise<void> {
      inMemory.delete(scope)
      await db.run(sql`DELETE FROM login_failure WHERE scope = ${key(scope)}`)
    },

    async sweep(now: Instant): Promise<number> {
      for (const [scope, { forgottenAt }] of inMemory) if (forgottenAt <= now) inMemory.delete(scope)
      return sweepExpired(
        db,
        { table: 'login_failure', keyColumn: 'scope', expiryColumn: 'forgotten_at' },
        now,
      )
    },
  }
}

const failuresByScope = lookup({ select: 'SELECT *', from: 'login_failure', key: 'scope' })

/** Selects or creates the row, and locks it until the transaction ends. */
const lockRow = (scope: string) => sql`
  INSERT INTO login_failure (scope, failures, blocked_until, forgotten_at) VALUES (${key(scope)}, 0, 0, 0)
  ON CONFLICT (scope) DO UPDATE SET failures = login_failure.failures
  RETURNING *`

const toFailures = (row: Row): Failures => ({
  count: Number(row.failures),
  blockedUntil: Number(row.blocked_until),
  forgottenAt: Number(row.forgotten_at),
})

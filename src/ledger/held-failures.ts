import type { Clock } from '#core/clock.ts'
import type { Database } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import { type Failures, failureBook } from './failures.ts'

const writtenEveryMs = 1_000

/**
 * A failure book of a process that is alone on its database: what is new is held for a second and written in one
 * commit, so that a flood of wrong logins makes no reader wait for the disk.
 */
export const heldFailureBook = (db: Database, clock: Clock, lost: (error: unknown) => void) => {
  const book = failureBook(db, clock)
  const held = new Map<string, Failures | undefined>()

  const write = async () => {
    const batch = [...held]
    if (batch.length === 0) return
    await db.write(async (tx) => {
      for (const [scope, failures] of batch) await tx.run(statement(scope, failures))
    })
    // What changed meanwhile is written next time.
    for (const [scope, failures] of batch) if (held.get(scope) === failures) held.delete(scope)
  }
  const timer = setInterval(() => void write().catch(lost), writtenEveryMs).unref()

  const find = async (scope: string) => {
    const stored = held.has(scope) ? undefined : await book.find(scope)
    return held.has(scope) ? held.get(scope) : stored
  }

  return {
    find,

    async change(scope: string, next: (known: Failures | undefined) => Failures) {
      const stored = await book.find(scope)
      held.set(scope, next(held.has(scope) ? held.get(scope) : stored))
    },

    async clear(scope: string) {
      held.set(scope, undefined)
    },

    sweep: book.sweep,

    async close() {
      clearInterval(timer)
      await write().catch(lost)
    },
  }
}

const statement = (scope: string, failures: Failures | undefined) =>
  failures === undefined
    ? sql`DELETE FROM login_failure WHERE scope = ${key(scope)}`
    : sql`
        INSERT INTO login_failure (scope, failures, blocked_until, forgotten_at)
        VALUES (${key(scope)}, ${failures.count}, ${failures.blockedUntil}, ${failures.forgottenAt})
        ON CONFLICT (scope) DO UPDATE SET
          failures = excluded.failures, blocked_until = excluded.blocked_until, forgotten_at = excluded.forgotten_at`

import type { Clock, Instant } from '#core/clock.ts'
import type { Database } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import { type Failures, failureBook } from './failures.ts'

const writeIntervalMs = 1_000
const writeBatchSize = 1_000

interface Held {
  /** Undefined if they were cleared. */
  readonly failures: Failures | undefined
  readonly forgottenAt: Instant
}

/**
 * A failure book for a process that is alone on its database. Changes are held for a second and written in one commit, so
 * that a flood of wrong logins makes no reader wait for the disk. While the storage refuses writes, expired records are
 * dropped, so that memory holds no more than the book would.
 */
export const heldFailureBook = (db: Database, clock: Clock, lost: (error: unknown) => void) => {
  const book = failureBook(db, clock)
  const held = new Map<string, Held>()

  const write = async () => {
    const batch = [...held].slice(0, writeBatchSize)
    if (batch.length === 0) return
    await db.write(async (tx) => {
      for (const [scope, { failures }] of batch) await tx.run(statement(scope, failures))
    })
    // Records that changed meanwhile are written next time.
    for (const [scope, one] of batch) if (held.get(scope) === one) held.delete(scope)
  }
  const writeAll = async () => {
    while (held.size > 0) await write()
  }
  const refused = (error: unknown) => {
    for (const [scope, { forgottenAt }] of held) if (forgottenAt <= clock.now()) held.delete(scope)
    lost(error)
  }
  const timer = setInterval(() => void write().catch(refused), writeIntervalMs).unref()

  const find = async (scope: string) => {
    const stored = held.has(scope) ? undefined : await book.find(scope)
    return known(scope, stored)
  }
  const known = (scope: string, stored: Failures | undefined) => {
    const one = held.get(scope)
    return one ? one.failures : stored
  }

  return {
    find,

    async change(scope: string, next: (known: Failures | undefined) => Failures) {
      // What is held is taken without a wait, in which it could be written and let go.
      const stored = held.has(scope) ? undefined : await book.find(scope)
      const failures = next(known(scope, stored))
      held.set(scope, { failures, forgottenAt: failures.forgottenAt })
    },

    async clear(scope: string) {
      const failures = await find(scope)
      if (failures) held.set(scope, { failures: undefined, forgottenAt: failures.forgottenAt })
    },

    sweep: book.sweep,

    async close() {
      clearInterval(timer)
      await writeAll().catch(lost)
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

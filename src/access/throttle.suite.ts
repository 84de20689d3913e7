import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { failureBook } from '#ledger/failures.ts'
import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/migrations.ts'
import { throttle } from './throttle.ts'

export const stoppedClock = { now: () => Date.UTC(2026, 0, 1) }

/** A throttle on a database of its own. */
export const startThrottle = async (t: TestContext) => {
  const db = await openDatabase('sqlite::memory:')
  t.after(() => db.close())
  await migrateAll(db)
  const book = failureBook(db, stoppedClock)
  const lost = (error: unknown) => assert.fail(String(error))
  return throttle({ book, clock: stoppedClock, secret: Buffer.from('secret'), lost })
}

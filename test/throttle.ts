import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { throttle } from '#access/throttle.ts'
import { failureBook } from '#ledger/failures.ts'
import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { stoppedClock } from '#test/access/callers.ts'

/** A throttle on a database of its own, and its clock. */
export const startThrottle = async (t: TestContext) => {
  const db = await openDatabase('sqlite::memory:')
  t.after(() => db.close())
  await migrateAll(db)
  const clock = stoppedClock()
  const book = failureBook(db, clock)
  const lost = (error: unknown) => assert.fail(String(error))
  return { clock, ...throttle({ book, clock, secret: Buffer.from('secret'), lost }) }
}

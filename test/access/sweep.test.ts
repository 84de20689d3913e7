import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { failureBook } from '#ledger/failures.ts'
import { sweeping } from '#ledger/sweep.ts'
import { openDatabase } from '#sql/open.ts'
import { raw, sql } from '#sql/query.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { stoppedClock } from './callers.ts'

test('one sweep deletes all expired failures, however many there are', async (t) => {
  const db = await openDatabase('sqlite::memory:')
  t.after(() => db.close())
  await migrateAll(db)
  const clock = stoppedClock()
  await db.run(sql`
    INSERT INTO login_failure (scope, failures, blocked_until, forgotten_at)
    WITH RECURSIVE counted (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < 1_201)
    SELECT 'scope ' || i, 1, 0, ${clock.now()} + CASE WHEN i > 1_200 THEN 1 ELSE 0 END FROM counted`)
  const book = failureBook(db, clock)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const sweeper = sweeping(book, (error) => assert.fail(String(error)))
  t.after(sweeper.stop)
  t.mock.timers.tick(60_000)
  const left = () => db.read(raw('SELECT scope FROM login_failure'), (row) => row.scope)
  for (let tries = 0; tries < 1_000 && (await left()).length > 1; tries++) await turn()
  assert.deepEqual(await left(), ['scope 1201'])
})

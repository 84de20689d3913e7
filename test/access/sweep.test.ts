import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openTasks } from '#core/tasks.ts'
import { failureStore } from '#ledger/failures.ts'
import { startSweeps } from '#ledger/sweep.ts'
import { openDatabase } from '#sql/open.ts'
import { raw, sql } from '#sql/query.ts'
import { openSqlite } from '#sql/sqlite/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { freshFolder } from '../fresh-folder.ts'
import { until } from '../sql/suite/things.ts'
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
  const failures = failureStore(db)
  const failed = (_: string, error: unknown) => assert.fail(String(error))
  const tasks = openTasks({ failed, recovered: () => undefined })
  const stop = startSweeps({ tasks, clock, uptimeMs: () => 0, periodMs: 5 }, { failures: failures.sweep })
  const left = () => db.read(raw('SELECT scope FROM login_failure'), (row) => row.scope)
  await until(async () => (await left()).length === 1)
  await stop()
  assert.deepEqual(await left(), ['scope 1201'])
})

test('failed logins that cannot be stored are kept in memory until they expire, and are stored once the storage recovers', async (t) => {
  const path = join(freshFolder(), 'a.db')
  const db = await openSqlite(path, { limits: { busyMs: 10 } })
  t.after(db.close)
  await migrateAll(db)
  const clock = stoppedClock()
  const failures = failureStore(db)
  const failed = (scope: string, ms: number) =>
    failures.change(scope, (known) => ({
      count: (known?.count ?? 0) + 1,
      blockedUntil: 0,
      forgottenAt: clock.now() + ms,
    }))
  await failed('lasting', 60_000)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const atOnce = ['passing', 'cleared', 'lasting', 'lasting'].map((scope) =>
    assert.rejects(failed(scope, scope === 'passing' ? 1_000 : 60_000), { kind: 'storageUnavailable' }),
  )
  await Promise.all(atOnce)
  await assert.rejects(failures.clear('cleared'), { kind: 'storageUnavailable' })
  clock.pass(2_000)
  await assert.rejects(failures.sweep(clock.now()), { kind: 'storageUnavailable' })
  const counts = async () =>
    Promise.all(['passing', 'cleared', 'lasting'].map(async (scope) => (await failures.find(scope))?.count))
  assert.deepEqual(await counts(), [undefined, undefined, 3])
  other.close()
  await failed('lasting', 60_000)
  assert.deepEqual(await counts(), [undefined, undefined, 4])
  const written = await db.read(raw('SELECT failures FROM login_failure'), (row) => Number(row.failures))
  assert.deepEqual(written, [4])
})

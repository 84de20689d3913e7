import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { noPostgres, serviceDatabase } from '#test/postgres.ts'
import { lease } from './lease.ts'

const skip = await noPostgres()

test('one instance holds a lease, even if clocks differ and one is set back', { skip }, async (t) => {
  const db = await openDatabase(await serviceDatabase(t))
  t.after(() => db.close())
  await migrateAll(db)
  const held = (now: number) =>
    lease({ db, clock: { now: () => now }, name: 'a', durationMs: 1_000 }).acquire()
  assert.equal(await held(50_000), true)
  for (const now of [49_950, 49_001, 50_000, 50_999]) assert.equal(await held(now), false, String(now))
  assert.equal(await held(51_000), true)
  assert.equal(await held(1_000), true)
})

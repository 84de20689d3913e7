import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerKeeper } from '#ledger/answers.ts'
import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { stoppedClock } from '../access/callers.ts'

test('an answer is kept for exactly 24 hours', async (t) => {
  const db = await openDatabase('sqlite::memory:')
  t.after(() => db.close())
  await migrateAll(db)
  const clock = stoppedClock()
  const keeper = answerKeeper(db, clock)
  const answer = { status: 201, headers: [], body: 'done' }
  await keeper.keep('scope', 'fingerprint', async () => answer)
  clock.pass(24 * 60 * 60 * 1000 - 1)
  assert.deepEqual((await keeper.find('scope'))?.answer, answer)
  clock.pass(1)
  assert.equal(await keeper.find('scope'), undefined)
})

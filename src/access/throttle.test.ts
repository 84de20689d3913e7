import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Problem } from '#core/problem.ts'
import { failureStore } from '#ledger/failures.ts'
import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { stoppedClock } from '#test/access/callers.ts'
import { throttle } from './throttle.ts'

/** A throttle on a database of its own, and its clock. */
const startThrottle = async (t: TestContext) => {
  const db = await openDatabase('sqlite::memory:')
  t.after(() => db.close())
  await migrateAll(db)
  const clock = stoppedClock()
  const store = failureStore(db)
  const onWriteFailure = (error: unknown) => assert.fail(String(error))
  return { clock, ...throttle({ store, clock, secret: Buffer.from('secret'), onWriteFailure }) }
}

test('one network has at most 16 login checks at a time, so that others get theirs', async (t) => {
  const { run } = await startThrottle(t)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let arrived = 0
  const arrive = () => {
    if (++arrived === 18) release()
  }
  const check = async () => {
    arrive()
    await released
    return 'known'
  }
  const from = (address: string, count: number) =>
    Array.from({ length: count }, (_, index) => run({ signId: `somebody ${index}`, address }, check))
  const guesses = [...from('192.0.2.1', 17), ...from('192.0.2.2', 1)]
  for (const guess of guesses) guess.catch(arrive)
  const outcomes = await Promise.allSettled(guesses)
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  assert.deepEqual(
    refusals.map((error) => error instanceof Problem && error.kind),
    ['overloaded'],
  )
  assert.equal(outcomes.at(-1)?.status, 'fulfilled')
})

const wrong = async () => undefined
const right = async () => 'known'
const tooMany = { kind: 'tooManyRequests' }

test('a network is throttled after a hundred failures, and its own successful logins do not reset that number', async (t) => {
  const { run } = await startThrottle(t)
  const address = '192.0.2.1'
  for (let number = 1; number < 100; number++) await run({ signId: `somebody ${number}`, address }, wrong)
  assert.equal(await run({ signId: 'mary', address }, right), 'known')
  await run({ signId: 'somebody', address }, wrong)
  await assert.rejects(run({ signId: 'mary', address }, right), tooMany)
  assert.equal(await run({ signId: 'mary', address: '192.0.2.2' }, right), 'known')
})

test('fewer than ten failures are forgotten a minute after the first; all failures are forgotten if the clock is set back', async (t) => {
  const { clock, run } = await startThrottle(t)
  const attempt = { signId: 'mary', address: '192.0.2.1' }
  const fail = async (times: number) => {
    for (let count = 0; count < times; count++) await run(attempt, wrong)
  }
  await fail(8)
  clock.pass(59_999)
  await fail(1)
  clock.pass(1)
  await fail(9)
  assert.equal(await run(attempt, right), 'known')
  await fail(9)
  clock.pass(59_999)
  await fail(1)
  await assert.rejects(run(attempt, right), tooMany)
  clock.pass(-3_600_000)
  assert.equal(await run(attempt, right), 'known')
})

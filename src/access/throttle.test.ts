import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '#core/problem.ts'
import { startThrottle } from './throttle.suite.ts'

test('one network has at most 16 checks under way, which leaves room for others', async (t) => {
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '#core/problem.ts'
import { startThrottle } from './throttle.suite.ts'

test('no more checks of one network are under way than leave room for those of others', async (t) => {
  const { run } = await startThrottle(t)
  const { promise: untilLetGo, resolve: letGo } = Promise.withResolvers<void>()
  let arrived = 0
  const arrive = () => {
    if (++arrived === 18) letGo()
  }
  const check = async () => {
    arrive()
    await untilLetGo
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

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { rollcall } from '#src/client/index.ts'
import { defaultRetries, pause, waitBeforeMs } from '#src/client/waiting.ts'
import { inPlace, strange } from './between.ts'

const defaults = { requestedMs: undefined, maxMs: 20_000, chance: 0 }

test('the default pauses add up to 9 to 15 seconds, longer than a restart of the service', () => {
  const attempts = Array.from({ length: defaultRetries }, (_, attempt) => attempt)
  const totalMs = (chance: number) =>
    attempts.reduce((sum, attempt) => sum + waitBeforeMs(attempt, { ...defaults, chance }), 0)
  assert.ok(totalMs(0) > 9_000, String(totalMs(0)))
  assert.ok(totalMs(1) < 15_000, String(totalMs(1)))
})

test('a short longestPauseMs does not reduce the number of retries', async (t) => {
  const gateway = await inPlace(t, [strange(503, 'away')])
  const answer = await rollcall(gateway.url, { retries: 5, longestPauseMs: 10 }).todos.list()
  assert.deepEqual([answer.status, gateway.asked()], [503, 6])
})

test('a pause leaves no listener on the signal of its caller', async () => {
  const { signal } = new AbortController()
  await pause(1, signal)
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
})

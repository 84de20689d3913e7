import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { rollcall } from '#src/client/index.ts'
import { defaultRetries, pause, waitBeforeMs } from '#src/client/waiting.ts'
import { inPlace, strange } from './between.ts'

const usual = { requestedMs: undefined, maxMs: 20_000, chance: 0 }

test('the usual patience outlives the seven seconds of a service that is started anew, and ends within fifteen', () => {
  const attempts = Array.from({ length: defaultRetries }, (_, attempt) => attempt)
  const inAllMs = (chance: number) =>
    attempts.reduce((sum, attempt) => sum + waitBeforeMs(attempt, { ...usual, chance }), 0)
  assert.ok(inAllMs(0) > 9_000, String(inAllMs(0)))
  assert.ok(inAllMs(1) < 15_000, String(inAllMs(1)))
})

test('who asks for short pauses is asked as often all the same', async (t) => {
  const gateway = await inPlace(t, [strange(503, 'away')])
  const answer = await rollcall(gateway.url, { retries: 5, longestPauseMs: 10 }).todos.list()
  assert.deepEqual([answer.status, gateway.asked()], [503, 6])
})

test('a pause leaves nothing behind at the signal of its caller', async () => {
  const { signal } = new AbortController()
  await pause(1, signal)
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
})

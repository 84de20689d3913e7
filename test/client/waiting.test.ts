import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffMs, defaultRetries } from '#src/client/backoff.ts'
import { type Pause, rollcall } from '#src/client/index.ts'
import { cut, refusing, type Spoil, standIn } from './stand-ins.ts'

const defaults = { requestedMs: undefined, maxMs: 20_000, chance: 0 }

test('the default pauses add up to 9 to 15 seconds, longer than a restart of the service', () => {
  const attempts = Array.from({ length: defaultRetries }, (_, attempt) => attempt)
  const totalMs = (chance: number) =>
    attempts.reduce((sum, attempt) => sum + backoffMs(attempt, { ...defaults, chance }), 0)
  assert.ok(totalMs(0) > 9_000, String(totalMs(0)))
  assert.ok(totalMs(1) < 15_000, String(totalMs(1)))
})

test('onPause gets the length and reason of each pause, which ends before the next attempt', async (t) => {
  const away: Spoil = (outgoing) => {
    outgoing.writeHead(503, { 'Retry-After': '0' }).end()
  }
  const place = await standIn(t, [away])
  const pauses: (readonly [number, number | undefined])[] = []
  const asked: number[] = []
  const onPause = ({ waitMs, failure, over }: Pause) => {
    pauses.push([failure.status, failure.retryAfterMs])
    assert.ok(waitMs >= 0 && waitMs <= 200, String(waitMs))
    void over.then(() => asked.push(place.asked()))
  }
  await rollcall(place.url, { retries: 2, onPause }).todos.list()
  assert.deepEqual(
    [pauses, asked],
    [
      [
        [503, 0],
        [503, 0],
      ],
      [1, 2],
    ],
  )
})

test('an attempt without an answer ends after timeoutMs', { timeout: 60_000 }, async (t) => {
  const silent = await standIn(t, [() => undefined])
  let attempts = 0
  const counting: typeof fetch = (...given) => {
    attempts++
    return fetch(...given)
  }
  const options = { retries: 1, timeoutMs: 50, fetch: counting }
  const answer = await rollcall(silent.url, options).todos.list()
  assert.deepEqual([answer.ok ? '' : answer.code, attempts], ['unreachable', 2])
})

test('Retry-After is understood in seconds and as a date; anything else asks for no pause', async (t) => {
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
  const waits: (number | undefined)[] = []
  for (const field of ['90', inAnHour, new Date(0).toUTCString(), 'soon']) {
    const { url } = await standIn(t, [(outgoing) => outgoing.writeHead(503, { 'Retry-After': field }).end()])
    const answer = await rollcall(url, { retries: 0 }).todos.list()
    waits.push(answer.ok ? undefined : answer.retryAfterMs)
  }
  const [seconds, ahead = 0, ...others] = waits
  assert.deepEqual([seconds, ...others], [90_000, 0, undefined])
  assert.ok(ahead > 3_500_000 && ahead <= 3_600_000, String(ahead))
})

test('an abort during a pause is answered at once', { timeout: 60_000 }, async (t) => {
  const caller = new AbortController()
  const away = await standIn(t, [
    (outgoing) => {
      outgoing.writeHead(503, { 'Retry-After': '60' }).end()
      setTimeout(() => caller.abort(), 50)
    },
  ])
  const { todos } = rollcall(away.url, { longestPauseMs: 60_000 })
  const answer = await todos.list({}, { signal: caller.signal })
  assert.deepEqual([answer.ok ? '' : answer.code, away.asked()], ['aborted', 1])
})

test('timeoutMs does not shorten a wait for changes', { timeout: 60_000 }, async (t) => {
  const slow = await standIn(t, [
    (outgoing) =>
      setTimeout(() => {
        outgoing.writeHead(200, { 'Content-Type': 'application/json', 'X-Track': 'x' })
        outgoing.end(JSON.stringify({ content: [], cursor: 'c', more: false }))
      }, 300),
  ])
  const { changes } = rollcall(slow.url, { timeoutMs: 50, retries: 0 })
  const [waited, given] = [await changes.list({ wait: 1 }), await changes.list()]
  assert.deepEqual([waited.ok, given.ok], [true, false])
})

test('a token whose answer is lost is created again, with another key', async (t) => {
  const created: Spoil = (outgoing) => {
    outgoing.writeHead(201, { 'Content-Type': 'application/json', 'X-Track': 'x' })
    outgoing.end(JSON.stringify({ token: 'second', expiresAt: '' }))
  }
  const place = await standIn(t, [cut, refusing('e.xx.fw.8008'), created])
  const keys: (string | null)[] = []
  const noting: typeof fetch = (url, init) => {
    keys.push(new Headers(init?.headers).get('Idempotency-Key'))
    return fetch(url, init)
  }
  const answer = await rollcall(place.url, { fetch: noting }).tokens.create()
  assert.equal(answer.ok && answer.value.token, 'second')
  assert.deepEqual([keys.length, keys[0] === keys[1], keys[1] === keys[2]], [3, true, false])
})

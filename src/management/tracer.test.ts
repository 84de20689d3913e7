import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { notFound, overloaded } from '#core/problem.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import type { Span } from './otlp.ts'
import { tracer } from './tracer.ts'

const exchangeWith = (traceparent: string) => {
  const incoming = new IncomingMessage(new Socket())
  incoming.headers.traceparent = traceparent
  const outgoing = new ServerResponse(incoming)
  return {
    incoming,
    outgoing,
    head: incoming,
    method: 'GET',
    routePattern: '/todos',
    track: 'track',
  } as unknown as Exchange
}

test('a list whose connection breaks yields exactly one span', async () => {
  const spans: Span[] = []
  const { requests } = tracer({ add: (span) => void spans.push(span) }, 1)
  const exchange = exchangeWith('')
  await requests(async () => ({ status: 200, headers: [], body: Readable.from(['[']) }))(exchange)
  assert.equal(spans.length, 0, 'the request is not over yet')
  exchange.outgoing.emit('error', new Error('EPIPE'))
  await setImmediate()
  assert.deepEqual(
    spans.map(({ name }) => name),
    ['GET /todos'],
  )
})

test('an invalid traceparent sets no parent span', async () => {
  const spans: Span[] = []
  const { requests } = tracer({ add: (span) => void spans.push(span) }, 1)
  const answer = requests(async () => ({ status: 200, headers: [] }))
  const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  await answer(exchangeWith(parent))
  await answer(exchangeWith(`${parent}-extra`))
  assert.deepEqual(
    spans.map(({ parentSpanId }) => parentSpanId),
    ['b'.repeat(16), undefined],
  )
})

test('a span is marked as failed if the service failed, not if it refused the request', async () => {
  const spans: Span[] = []
  const { requests } = tracer({ add: (span) => void spans.push(span) }, 1)
  for (const status of [200, 404, 499, 500, 503])
    await requests(async () => ({ status, headers: [] }))(exchangeWith(''))
  for (const error of [notFound(), overloaded(), new Error('unforeseen')])
    await assert.rejects(requests(() => Promise.reject(error))(exchangeWith('')), error)
  assert.deepEqual(
    spans.map(({ hasFailed }) => hasFailed),
    [false, false, false, true, true, false, true, true],
  )
})

test('the sampling rate selects traces by their id, unless the caller has decided', async () => {
  const spans: Span[] = []
  const { requests } = tracer({ add: (span) => void spans.push(span) }, 0.25)
  const answer = requests(async () => ({ status: 200, headers: [] }))
  const traced = async (traceparent: string, track = 'track') => {
    const before = spans.length
    await answer({ ...exchangeWith(traceparent), track })
    return spans.length - before
  }
  const trace = (start: string) => `${'0'.repeat(18)}1${start.padEnd(13, '0')}`
  for (const [start, count] of [
    ['0', 1],
    ['3f', 1],
    ['4', 0],
    ['f', 0],
  ] as const)
    assert.equal(await traced('', trace(start)), count, start)
  for (const [flags, count] of [
    ['01', 1],
    ['00', 0],
  ] as const)
    assert.equal(await traced(`00-${'f'.repeat(32)}-${'b'.repeat(16)}-${flags}`), count)
  const before = spans.length
  for (let times = 0; times < 4_000; times++) await traced('')
  assert.ok(Math.abs(spans.length - before - 1_000) < 200)
})

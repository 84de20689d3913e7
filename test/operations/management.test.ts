import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '#sql/open.ts'
import { raw, sql } from '#sql/query.ts'
import { openMetrics } from '#src/management/metrics.ts'
import { isCurrent, migrateAll } from '#src/migrations.ts'
import { startApp } from '../harness.ts'
import { freshDatabase, noPostgres } from '../postgres.ts'
import { freshFolder, insist } from './child.ts'

const noServer = await noPostgres()

test('the metrics tell of requests by route and status, of commits, hashing and the process', async (t) => {
  const api = await startApp(t)
  await api('POST /todos', { todoTitle: 'a' })
  await api('POST /todos', { todoTitle: '' })
  await api('GET /todos/1')
  await api('GET /nowhere')
  const answer = await fetch(`${api.management}/metrics`)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const text = await answer.text()
  for (const line of [
    'rollcall_request_duration_seconds_count{method="POST",route="/todos",status="201"} 1',
    'rollcall_request_duration_seconds_count{method="POST",route="/todos",status="400"} 1',
    'rollcall_request_duration_seconds_count{method="GET",route="/todos/:todoId",status="404"} 1',
    'rollcall_request_duration_seconds_bucket{method="GET",route="-",status="404",le="+Inf"} 1',
    'rollcall_password_hashes_waiting 0',
    'rollcall_pool_limit{pool="writes"} 1',
    'rollcall_pool_in_use{pool="streams"} 0',
    'rollcall_pool_waiting{pool="scans"} 0',
    'rollcall_log_lines_dropped_total 0',
    'rollcall_logins_throttled_total 0',
  ])
    assert.ok(text.includes(`${line}\n`), line)
  for (const name of ['rollcall_commit_writes_count', 'nodejs_eventloop_lag_p99_seconds', 'process_resident'])
    assert.ok(text.includes(name), name)
  assert.doesNotMatch(text, /NaN|undefined/)
})

test('the pools tell how many are in use and how many wait', { skip: noServer }, async (t) => {
  const { observer, text } = openMetrics({ hashesWaiting: () => 0, logLinesDropped: () => 0 })
  const db = await openDatabase(await freshDatabase(t), { observe: observer })
  t.after(() => db.close())
  const pool = async (name: string) => {
    const lines = (await text()).matchAll(new RegExp(`^rollcall_pool_(\\w+){pool="${name}"} (\\d+)$`, 'gm'))
    return Object.fromEntries([...lines].map(([, what, value]) => [what, Number(value)]))
  }
  const { limit = 0 } = await pool('writes')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const writes = Array.from({ length: limit + 3 }, () => db.write(() => released))
  assert.deepEqual(await pool('writes'), { limit, in_use: limit, waiting: 3 })
  assert.equal((await pool('sessions')).in_use, limit)
  release()
  await Promise.all(writes)
  assert.deepEqual(await pool('writes'), { limit, in_use: 0, waiting: 0 })
})

test('readiness says why not: a later program has changed the tables', async (t) => {
  const api = await startApp(t, { DATABASE_URL: 'sqlite::memory:' })
  assert.equal((await fetch(`${api.management}/health/ready`)).status, 200)
  const db = await openDatabase('sqlite::memory:')
  t.after(() => db.close())
  await migrateAll(db)
  assert.equal(await isCurrent(db), true)
  await db.write((tx) => tx.run(later))
  assert.equal(await isCurrent(db), false)
})

/** More than the buffers between two sockets hold. */
const fillMany = async (url: string) => {
  const db = await openDatabase(url)
  await migrateAll(db)
  await db.write((tx) => tx.run(many))
  await db.close()
}

const many = raw(`
  WITH RECURSIVE counted (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM counted WHERE number < 30000)
  INSERT INTO todo SELECT printf('01a1fe54-c24d-75af-93f8-%012x', number), 'one of many', 0, 0, 1, 0 FROM counted`)

const later = sql`INSERT INTO migration (room, name, checksum) VALUES ('todo', '999-later', 'x')`

test('a trace goes from the request over the service to the statements, below what the caller began', async (t) => {
  const collector = await openCollector(t)
  const api = await startApp(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
    OTEL_SERVICE_NAME: 'roll',
  })
  const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  const created = await api(
    'POST /todos',
    { todoTitle: 'a' },
    { traceparent: `00-${trace}-${parent}-01`, 'Idempotency-Key': 'k' },
  )
  assert.equal(created.headers['x-track'], trace)
  await api('GET /todos?size=1', undefined, { traceparent: `00-${'1'.repeat(32)}-${parent}-00` })
  const spans = await collector.spans('POST /todos')
  const [request] = spans.filter(({ name }) => name === 'POST /todos')
  assert.deepEqual([request?.traceId, request?.parentSpanId, request?.kind], [trace, parent, 2])
  const service = spans.find(({ name }) => name === 'todos:create')
  assert.equal(service?.parentSpanId, request?.spanId)
  const transaction = spans.find(
    ({ name, parentSpanId }) => name === 'transaction' && parentSpanId === service?.spanId,
  )
  const insert = spans.find(
    ({ name, parentSpanId }) => name === 'INSERT' && parentSpanId === transaction?.spanId,
  )
  assert.ok(insert, JSON.stringify(spans, undefined, 1))
  assert.match(JSON.stringify(insert), /INSERT INTO todo/)
  assert.ok(
    spans.every(({ traceId }) => traceId !== '1'.repeat(32)),
    'what the caller does not keep is not told',
  )
  assert.deepEqual(collector.headers()?.['x-key'], 'a b')
  assert.match(collector.text(), /"service.name","value":{"stringValue":"roll"}/)
  assert.doesNotMatch(collector.text(), /"todoTitle"/)
})

test('the spans of a list last until its last byte is taken, and say when nobody took it', async (t) => {
  const collector = await openCollector(t)
  const folder = await freshFolder(t)
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    DATABASE_URL: `sqlite:${join(folder, 'many.db')}`,
  }
  await fillMany(settings.DATABASE_URL)
  const api = await startApp(t, settings)
  const heldMs = 400
  const read = async (isBroken: boolean) => {
    const asked = request(`${api.url}/api/v1/todos`).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    await new Promise((resolve) => setTimeout(resolve, heldMs))
    if (isBroken) answer.destroy()
    else for await (const _ of answer);
  }
  const list = async (fits: (span: Span) => boolean) => {
    for (;;) {
      const spans = await collector.spans('GET /todos')
      const found = spans.find((span) => span.name === 'GET /todos' && fits(span))
      if (found) return { found, below: spans.filter(({ traceId }) => traceId === found.traceId) }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await read(false)
  const { found, below } = await list(({ status }) => status?.code !== 2)
  const lastedMs = ({ startTimeUnixNano, endTimeUnixNano }: Span) =>
    Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6
  const service = below.find(({ name }) => name === 'todos:read')
  const statement = below.find(
    ({ name, parentSpanId }) => name === 'SELECT' && parentSpanId === service?.spanId,
  )
  assert.equal(service?.parentSpanId, found.spanId)
  for (const span of [found, service, statement])
    assert.ok(span && lastedMs(span) > heldMs - 50, JSON.stringify(below))
  await read(true)
  await list(({ status }) => status?.code === 2)
})

test('a collector that is away costs no request', async (t) => {
  const api = await startApp(t, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  for (let count = 0; count < 600; count++)
    assert.equal((await insist(`${api.url}/api/v1/todos?size=1`)).status, 200)
})

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status?: { readonly code: number }
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[]
}

const openCollector = async (t: TestContext) => {
  const bodies: Export[] = []
  let headers: Readonly<Record<string, unknown>> | undefined
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.url === '/v1/traces') bodies.push((await json(incoming)) as Export)
    headers = incoming.headers
    outgoing.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const all = () =>
    bodies.flatMap((body) =>
      body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((s) => s.spans)),
    )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: () => headers,
    text: () => JSON.stringify(bodies),
    async spans(name: string) {
      while (!all().some((span) => span.name === name))
        await new Promise((resolve) => setTimeout(resolve, 50))
      return all()
    },
  }
}

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#sql/open.ts'
import { openMetrics } from '#src/management/metrics.ts'
import { commit, version } from '#src/version.ts'
import { basic, startBasic } from '../access/callers.ts'
import { freePort } from '../free-port.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { freshDatabase, noPostgres } from '../postgres.ts'
import { fetchPatiently } from './child.ts'

const noServer = await noPostgres()

/** The metrics that dashboards for Node expect of a process on Linux. */
const processNames = [
  ...['user_', 'system_', ''].map((kind) => `process_cpu_${kind}seconds_total`),
  ...['process_start_time_seconds', 'process_open_fds', 'process_max_fds', 'process_heap_bytes'],
  ...['process_resident_memory_bytes', 'process_virtual_memory_bytes', 'nodejs_external_memory_bytes'],
  ...['nodejs_heap_size_total_bytes', 'nodejs_heap_size_used_bytes'],
]

test('the metrics cover requests by route, status and known method, commits, hashing and the process', async (t) => {
  const api = await startApp(t)
  await api('POST /todos', { todoTitle: 'a' })
  await api('POST /todos', { todoTitle: '' })
  await api('GET /todos/1')
  await api('GET /nowhere')
  for (const method of ['PROPFIND', 'MKCOL']) await api(`${method} /todos`)
  const answer = await fetch(`${api.management}/metrics`)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const text = await answer.text()
  for (const line of [
    'rollcall_request_duration_seconds_count{method="POST",route="/todos",status="201"} 1',
    'rollcall_request_duration_seconds_count{method="POST",route="/todos",status="400"} 1',
    'rollcall_request_duration_seconds_count{method="GET",route="/todos/:todoId",status="404"} 1',
    'rollcall_request_duration_seconds_bucket{method="GET",route="-",status="404",le="+Inf"} 1',
    'rollcall_request_duration_seconds_count{method="other",route="/todos",status="405"} 2',
    'rollcall_password_hashes_waiting 0',
    'rollcall_pool_limit{pool="writes"} 1',
    'rollcall_pool_in_use{pool="streams"} 0',
    'rollcall_pool_waiting{pool="scans"} 0',
    'rollcall_log_lines_dropped_total 0',
    'rollcall_connections_refused_total 0',
    'rollcall_descriptors_exhausted_total 0',
    'rollcall_logins_throttled_total 0',
    'rollcall_storage_errors_total{reason="full"} 0',
    `rollcall_build_info{version="${version}",commit="${commit()}",node="${process.versions.node}"} 1`,
  ])
    assert.ok(text.includes(`${line}\n`), line)
  for (const name of ['rollcall_commit_writes_count', 'nodejs_eventloop_lag_p99_seconds'])
    assert.ok(text.includes(`\n${name} `), name)
  for (const name of processNames) assert.match(text, new RegExp(`^${name} (?!0$)[\\d.]+$`, 'm'))
  for (const name of ['total', 'used', 'available'])
    assert.match(text, new RegExp(`^nodejs_heap_space_size_${name}_bytes\\{space="old"\\} [1-9]\\d*$`, 'm'))
  assert.match(text, /^nodejs_active_resources\{type="\w+"\} [1-9]\d*$/m)
  assert.match(text, /^rollcall_sqlite_log_bytes [1-9]\d+$/m)
  assert.doesNotMatch(text, /NaN|undefined|^rollcall_tls_certificate/m)
})

test('the past hour is shown from the start to now, without the requests of the console', async (t) => {
  const api = await startApp(t)
  await api('POST /todos', { todoTitle: 'a' })
  await api('GET /nowhere')
  const past = async () => {
    const answer = await fetch(`${api.management}/metrics/past`)
    assert.equal(answer.headers.get('content-type'), 'application/json')
    return (await answer.json()) as { readings: Readonly<Record<string, number>>[] }
  }
  await past()
  const [first, last] = (await past()).readings
  const of = ({ reads, writes, clientErrors, commits }: NonNullable<typeof first> = {}) => [
    ...[reads, writes, clientErrors],
    commits,
  ]
  assert.deepEqual(of(first).slice(0, 3), [0, 0, 0])
  assert.deepEqual(of(last).slice(0, 3), [1, 1, 1])
  assert.ok((last?.commits ?? 0) > (first?.commits ?? 0))
  assert.ok((last?.atMs ?? 0) > (first?.atMs ?? 0) && (last?.lagMaxMs ?? -1) >= 0)
})

test('the metrics count throttled logins and storage failures', async (t) => {
  const path = join(freshFolder(), 'a.db')
  const api = await startBasic(t, { DATABASE_URL: `sqlite:${path}`, RATE_LIMIT: '2/60s' })
  const nobody = basic('nobody', 'wrong')
  const statuses: number[] = []
  for (let guess = 0; guess < 4; guess++) statuses.push((await api('GET /todos', undefined, nobody)).status)
  assert.deepEqual(statuses, [401, 401, 429, 429])
  renameSync(path, `${path}.aside`)
  // A write looks for its file at most once a second; readiness always does.
  assert.equal((await fetch(`${api.management}/health/ready`)).status, 503)
  renameSync(`${path}.aside`, path)
  const text = await (await fetch(`${api.management}/metrics`)).text()
  assert.match(text, /^rollcall_logins_throttled_total 2$/m)
  assert.match(text, /^rollcall_storage_errors_total\{reason="moved"\} [1-9]$/m)
  assert.match(text, /^rollcall_storage_errors_total\{reason="full"\} 0$/m)
})

test('two scrapes in quick succession both report the longest event loop lag', async (t) => {
  const { management } = await startApp(t)
  const longest = async () => {
    const text = await (await fetch(`${management}/metrics`)).text()
    return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1])
  }
  await longest()
  // The monitor is running by now, so it notices that the loop is blocked.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const until = performance.now() + 150
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.ok((await longest()) > 0.1)
  assert.ok((await longest()) > 0.1)
})

const noGauges = {
  logEnds: async () => ({}),
  streams: { count: 0, cutOffCount: 0 },
  deliveries: () => [],
  tasks: { states: () => new Map() },
  version: '0',
  hashesWaiting: () => 0,
  logLinesDropped: () => 0,
  commit: '',
  spansLost: () => 0,
  certificateEndMs: () => undefined,
}

test('the manual lists exactly the failure reasons whose counters exist, at 0, from the start', async () => {
  const manual = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  const [, words = '', codes = ''] =
    /^The reasons of `rollcall_storage_errors_total`(.*?)On\s+PostgreSQL.*?^\|---\|---\|\n((?:\|.*\n)+)/ms.exec(
      manual,
    ) ?? []
  const quoted = (text: string) => [...text.matchAll(/`([\w]+)`/g)].map(([, word = '']) => word)
  const listed = {
    scans: quoted(words).filter((word) => word !== 'storage'),
    sessions: codes.split('\n').flatMap((row) => quoted(row.split('|')[1] ?? '')),
  }
  for (const name of ['scans', 'sessions'] as const) {
    const { observer, text } = openMetrics(noGauges)
    observer.poolOpened?.(name, { limit: 1, taken: () => 0, waiting: () => 0 })
    const exposed = (await text()).matchAll(/^rollcall_storage_errors_total\{reason="(\w+)"\} 0$/gm)
    assert.deepEqual(Array.from(exposed, ([, reason]) => reason).sort(), listed[name].sort())
  }
})

test('the metrics of a pool report its limit, its slots in use and its waiting requests', {
  skip: noServer,
}, async (t) => {
  const { observer, text } = openMetrics(noGauges)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  t.after(() => release())
  const db = await openDatabase(await freshDatabase(t), { observe: observer })
  t.after(() => db.close())
  const pool = async (name: string) => {
    const lines = (await text()).matchAll(new RegExp(`^rollcall_pool_(\\w+){pool="${name}"} (\\d+)$`, 'gm'))
    return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]))
  }
  const { limit = 0 } = await pool('writes')
  const writes = Array.from({ length: limit + 3 }, () => db.write(() => released))
  assert.deepEqual(await pool('writes'), { limit, in_use: limit, waiting: 3 })
  assert.match(await text(), /^rollcall_storage_errors_total\{reason="53300"\} 0$/m)
  assert.equal((await pool('sessions')).in_use, limit)
  release()
  await Promise.all(writes)
  assert.deepEqual(await pool('writes'), { limit, in_use: 0, waiting: 0 })
})

test('readiness fails while the database file is missing, and once a later version has migrated it', async (t) => {
  const path = join(freshFolder(), 'a.db')
  const api = await startApp(t, { DATABASE_URL: `sqlite:${path}` })
  const ready = async () => {
    const answer = await fetch(`${api.management}/health/ready`)
    return [answer.status, await answer.json()]
  }
  assert.deepEqual(await ready(), [200, { status: 'up' }])
  renameSync(path, `${path}.aside`)
  assert.deepEqual(await ready(), [503, { status: 'down', reasons: ['storage'] }])
  renameSync(`${path}.aside`, path)
  assert.deepEqual(await ready(), [200, { status: 'up' }])
  using other = new DatabaseSync(path)
  other.exec("INSERT INTO migration (room, name, checksum) VALUES ('todo', '999-later', 'x')")
  // The service keeps its snapshot of the file until its next commit.
  await api('POST /todos', { todoTitle: 'a' })
  assert.deepEqual(await ready(), [503, { status: 'down', reasons: ['migrations'] }])
})

test('successful health probes are logged only at level debug', async (t) => {
  for (const [LOG_LEVEL, levels] of [
    ['info', ['info', 'info']],
    ['debug', ['debug', 'debug', 'info', 'info']],
  ] as const) {
    const api = await startApp(t, { LOG_LEVEL, DATABASE_URL: 'sqlite::memory:' })
    for (const path of ['/health/live', '/health/ready', '/metrics']) await fetch(api.management + path)
    await fetch(`${api.management}/health/ready`, { method: 'POST' })
    const lines = api.log.filter(
      ({ msg, migration }) => migration === undefined && !/^created the tables/.test(String(msg)),
    )
    assert.deepEqual(
      lines.map(({ level }) => level),
      levels,
    )
  }
})

test("a trace has spans for request, service and statements below the caller's span", async (t) => {
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
  const insert = spans.find(({ name, parentSpanId }) => name === 'INSERT' && parentSpanId === service?.spanId)
  assert.ok(insert, JSON.stringify(spans, undefined, 1))
  assert.match(JSON.stringify(insert), /INSERT INTO .{0,2}todo/)
  assert.ok(
    spans.every(({ traceId }) => traceId !== '1'.repeat(32)),
    'a trace that the caller does not sample was exported',
  )
  assert.deepEqual(collector.headers()?.['x-key'], 'a b')
  assert.match(collector.text(), /"service.name","value":{"stringValue":"roll"}/)
  assert.doesNotMatch(collector.text(), /"todoTitle"/)
})

test('the span of an unpaged list lasts until the list is read', async (t) => {
  const collector = await openCollector(t)
  const api = await startApp(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  await api('POST /todos', { todoTitle: 'a' })
  await api('GET /todos')
  const spans = await collector.spans('GET /todos')
  const list = spans.find(({ name }) => name === 'GET /todos')
  const service = spans.find(
    ({ name, parentSpanId }) => name === 'todos:read' && parentSpanId === list?.spanId,
  )
  const statement = spans.find(({ parentSpanId }) => parentSpanId === service?.spanId)
  assert.equal(statement?.name, 'SELECT')
  const ended = [statement, service, list].map((span) => BigInt(span?.endTimeUnixNano ?? 0))
  assert.deepEqual(ended, ended.toSorted())
})

test('no request fails while the trace collector is unreachable', async (t) => {
  const api = await startApp(t, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` })
  for (let count = 0; count < 600; count++)
    assert.equal((await fetchPatiently(`${api.url}/api/v1/todos?size=1`)).status, 200)
})

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly endTimeUnixNano: string
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

test('spans that the collector refuses are counted, and a sampling rate of 0 makes no traces', async (t) => {
  const refusing = createServer((_, answer) => answer.writeHead(503).end()).listen(0, '127.0.0.1')
  t.after(() => refusing.close())
  await once(refusing, 'listening')
  const { port } = refusing.address() as AddressInfo
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }
  const lostBy = async ({ management }: { management: string }) => {
    const text = await (await fetch(`${management}/metrics`)).text()
    return Number(/^rollcall_spans_lost_total (\d+)$/m.exec(text)?.[1])
  }
  const api = await startApp(t, environment)
  await api('GET /todos?size=1')
  assert.equal(await lostBy(api), 0)
  while ((await lostBy(api)) < 3) await sleep(100)
  const untraced = await startApp(t, { ...environment, OTEL_TRACES_SAMPLER_ARG: '0' })
  await untraced('GET /todos?size=1')
  await sleep(2_500)
  assert.equal(await lostBy(untraced), 0)
})

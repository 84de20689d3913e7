import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { streamRegistry } from '#http/api/event-stream.ts'
import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { openApp } from '#src/app.ts'
import { readConfig } from '#src/config.ts'
import { stoppedClock } from '../access/callers.ts'
import { bearer, startIssuer, startOauth } from '../access/issuer.ts'
import { databases } from '../engines.ts'
import { freshFolder } from '../fresh-folder.ts'
import { type Api, quiet, startApp } from '../harness.ts'
import { newChangeLog } from '../new-change-log.ts'
import { openStream as opened } from '../open-stream.ts'
import { expectAnswer } from './table.ts'

const added = async (api: Api) => api('POST /todos', { todoTitle: 'x' })
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
const events = { Accept: 'text/event-stream' }

const metricsOf = async (api: Api) => {
  const text = await (await fetch(`${api.management}/metrics`)).text()
  const lines = text.matchAll(/^rollcall_(change\w*(?:sequence|open|total)) (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]))
}

for (const { name, url, skip } of databases) {
  test(`${name}: a stream sends past changes, a bookmark and new changes, and can be resumed`, {
    skip,
  }, async (t) => {
    const api = await startApp(t, { DATABASE_URL: await url(t) })
    await added(api)
    await added(api)
    const stream = await opened(api, '/changes')
    assert.equal(stream.headers.get('x-accel-buffering'), 'no')
    assert.equal(await stream.next(), 'retry: 2000')
    assert.match(await stream.next(), /^id: \S+\nevent: todo.created\ndata: \{.*"sequence":"1"/)
    const second = await stream.next()
    assert.match(second, /"sequence":"2"/)
    assert.match(await stream.next(), /^id: \S+\nevent: bookmark\ndata: \{"cursor":"\S+"\}$/)
    await Promise.all(upTo(5).map(() => added(api)))
    for (const number of [3, 4, 5, 6, 7])
      assert.match(await stream.next(), new RegExp(`"sequence":"${number}"`))
    stream.close()
    const lastId = /^id: (\S+)/.exec(second)?.[1] ?? ''
    const again = await opened(api, '/changes?after=latest', { 'Last-Event-ID': lastId })
    await again.next()
    assert.match(await again.next(), /"sequence":"3"/)
    again.close()
  })
}

test('at most a hundred streams are open, and they do not count towards the limits of other requests', async (t) => {
  const api = await startApp(t)
  const streams = await Promise.all(upTo(100).map(() => opened(api, '/changes')))
  expectAnswer(await api('GET /changes', undefined, events), { status: 503, code: '9004' })
  expectAnswer(await added(api), { status: 201 })
  assert.deepEqual(await metricsOf(api), {
    changes_sequence: 1,
    changes_oldest_sequence: 1,
    change_streams_open: 100,
    change_readers_cut_total: 0,
  })
  for (const stream of streams) stream.close()
  await sleep(200)
  const another = await opened(api, '/changes')
  assert.equal(await another.next(), 'retry: 2000')
  another.close()
})

test('streams and waiting requests end when the service stops', async (t) => {
  const config = readConfig({
    PORT: '0',
    MANAGEMENT_PORT: 'off',
    DATABASE_URL: 'sqlite::memory:',
    ALLOWED_HOSTS: '*',
  })
  const app = await openApp(config, quiet)
  t.after(() => app.close())
  const stream = await opened(app, '/changes')
  for (const _ of ['retry', 'bookmark']) await stream.next()
  const waiting = fetch(`${app.url}/api/v1/changes?wait=60`)
  await sleep(100)
  const stopping = app.drain()
  assert.equal(await stream.next(), 'the end')
  assert.deepEqual(
    await waiting.then(async (answer) => ((await answer.json()) as { content: unknown }).content),
    [],
  )
  await stopping
})

test('a stream ends after fifteen minutes', async (t) => {
  const clock = stoppedClock()
  const api = await startApp(t, {}, { clock })
  const stream = await opened(api, '/changes')
  for (const _ of ['retry', 'bookmark']) await stream.next()
  clock.pass(899_000)
  await added(api)
  assert.match(await stream.next(), /"sequence":"1"/)
  clock.pass(1_000)
  assert.equal(await stream.next(), 'the end')
})

test('an idle stream ends within a second after its token becomes invalid', async (t) => {
  const issuer = await startIssuer(t)
  const clock = stoppedClock(Date.now())
  const api = await startOauth(t, issuer.url, { clock })
  const headers = bearer(await issuer.token({ scope: 'changes:read' }))
  const stream = await opened(api, '/changes', headers)
  for (const _ of ['retry', 'bookmark']) await stream.next()
  clock.pass(3_600_000 / 4)
  const passedAtMs = performance.now()
  assert.equal(await stream.next(), 'the end')
  assert.ok(performance.now() - passedAtMs < 5_000, 'it did not wait for the next bookmark')
})

test('a reader that reads nothing is cut off, and other readers are not', async (t) => {
  const streams = streamRegistry({ unreadMs: 5_000 })
  const DATABASE_URL = `sqlite:${join(freshFolder(), 'test.db')}`
  const db = await openDatabase(DATABASE_URL)
  await migrateAll(db)
  const makeLogEntry = newChangeLog()
  const actor = { author: 'x'.repeat(8_000), track: '', pendingChanges: [] }
  const change = { type: 'todo.created', subject: 's', version: 1, changed: [] }
  const { length } = upTo(1_500)
  await db.write(async (tx) => {
    for (let at = 0; at < length; at++) await tx.append(makeLogEntry(change, actor))
  })
  await db.close()
  const api = await startApp(t, { DATABASE_URL }, { streams })
  const { hostname, port } = new URL(api.url)
  const silent = connect(Number(port), hostname)
  const closed = once(silent, 'close')
  silent.pause()
  silent.write('GET /api/v1/changes HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n')
  const stream = await opened(api, '/changes')
  let seen = 0
  while (seen < length) if ((await stream.next()).includes('"sequence"')) seen++
  // The stream keeps its slot until it is closed, a moment later.
  while (streams.cutOffCount === 0 || streams.count === 2) await sleep(50)
  assert.deepEqual(
    { ...streams, unreadMs: 0 },
    { unreadMs: 0, count: 1, cutOffCount: 1, principalNames: ['anyone'] },
  )
  silent.resume()
  await closed
  await added(api)
  while (!(await stream.next()).includes(`"sequence":"${length + 1}"`));
  stream.close()
})

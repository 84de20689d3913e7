import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asRoot, fieldOf, startBasic, stoppedClock } from '../access/callers.ts'
import { bearer } from '../access/issuer.ts'
import { databases } from '../engines.ts'
import { type Api, startApp } from '../harness.ts'
import { openStream } from '../open-stream.ts'
import { administer, noPostgres, serviceDatabase, startServer } from '../postgres.ts'
import { expectAnswer } from './table.ts'

const skip = await noPostgres()

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
const add = (api: Api) => api('POST /todos', { todoTitle: 'x' })
const events = { Accept: 'text/event-stream' }

const newKey = async (api: Api) => {
  const made = await api('POST /keys', { name: 'a', scopes: ['changes:read'], expiresAt: null }, asRoot)
  return { keyId: fieldOf(made, 'keyId'), headers: bearer(fieldOf(made, 'secret')) }
}

/** Turns off the notifications of changes. */
const silenceNotifications = async (url: string) => {
  const [row] = await administer(url, "SELECT pg_get_functiondef('enter_change'::regproc) AS text")
  const text = String(row?.text)
  assert.match(text, /PERFORM pg_notify/)
  await administer(url, text.replace(/PERFORM pg_notify\('change', ''\);/, ''))
}

test('a stream and its first bookmark include the writes of another instance even if no notification arrives', {
  skip,
}, async (t) => {
  const DATABASE_URL = await serviceDatabase(t)
  const [one, other] = [await startApp(t, { DATABASE_URL }), await startApp(t, { DATABASE_URL })]
  const following = await openStream(one, '/changes')
  for (const _ of ['retry', 'bookmark']) await following.next()
  for (const _ of upTo(30)) await add(other)
  for (const number of upTo(30)) assert.match(await following.next(), new RegExp(`"sequence":"${number}"`))

  await silenceNotifications(DATABASE_URL)
  for (const _ of upTo(5)) await add(other)
  const stream = await openStream(one, '/changes')
  await stream.next()
  for (const number of upTo(35)) assert.match(await stream.next(), new RegExp(`"sequence":"${number}"`))
  assert.match(await stream.next(), /event: bookmark/)
  for (const number of [31, 32, 33, 34, 35])
    assert.match(await following.next(), new RegExp(`"sequence":"${number}"`))

  const { headers } = await add(other)
  const waiting = one(`GET /changes?wait=20&after=${headers['change-cursor']}`)
  await add(other)
  const { content } = (await waiting).body as { readonly content: readonly unknown[] }
  assert.equal(content.length, 1)
  for (const one of [following, stream]) one.close()
})

for (const { name, url, skip } of databases) {
  test(`${name}: a stream and a long poll send nothing once the key of their caller is deleted`, {
    skip,
  }, async (t) => {
    const settings = { DATABASE_URL: await url(t) }
    const one = await startBasic(t, settings)
    const reading = name === 'SQLite' ? one : await startBasic(t, settings)
    for (const _ of upTo(8)) {
      const key = await newKey(one)
      const stream = await openStream(reading, '/changes?after=latest', key.headers)
      for (const _ of ['retry', 'bookmark']) await stream.next()
      const waiting = reading('GET /changes?after=latest&wait=20', undefined, key.headers)
      await reading('GET /todos', undefined, asRoot)
      assert.equal((await one(`DELETE /keys/${key.keyId}`, undefined, asRoot)).status, 204)
      assert.equal(await stream.next(), 'the end')
      expectAnswer(await waiting, { status: 401, code: '4001' })
    }
  })
}

test('a withdrawn right ends streams, long polls and remembered logins even if no notification arrives', {
  skip,
}, async (t) => {
  const DATABASE_URL = await serviceDatabase(t)
  const api = await startBasic(t, { DATABASE_URL }, { clock: stoppedClock() })
  const key = await newKey(api)
  const stream = await openStream(api, '/changes?after=latest', key.headers)
  for (const _ of ['retry', 'bookmark']) await stream.next()
  const waiting = api('GET /changes?after=latest&wait=20', undefined, key.headers)
  const asKey = () => api('GET /changes', undefined, key.headers)
  assert.equal((await asKey()).status, 200)
  await administer(DATABASE_URL, 'DELETE FROM api_key')
  await api('POST /todos', { todoTitle: 'x' }, asRoot)
  assert.equal(await stream.next(), 'the end')
  expectAnswer(await waiting, { status: 401, code: '4001' })
  while ((await asKey()).status === 200);
})

test('one key can open at most twenty streams, and others can still open some', async (t) => {
  const api = await startBasic(t)
  const [key, other] = [await newKey(api), await newKey(api)]
  const streams = await Promise.all(upTo(20).map(() => openStream(api, '/changes', key.headers)))
  const asKey = { ...events, ...key.headers }
  expectAnswer(await api('GET /changes', undefined, asKey), { status: 503, code: '9004' })
  streams.push(await openStream(api, '/changes', other.headers))
  streams[0]?.close()
  while ((await fetch(`${api.management}/metrics`).then((one) => one.text())).includes('streams_open 21'));
  streams.push(await openStream(api, '/changes', key.headers))
  for (const stream of streams) stream.close()
})

test('streams and long polls get 503 while PostgreSQL is unreachable just after a start', {
  skip,
}, async (t) => {
  const server = await startServer()
  t.after(server.stop)
  const api = await startApp(t, { DATABASE_URL: server.url })
  await server.stop()
  for (const headers of [{}, events])
    expectAnswer(await api('GET /changes?wait=1', undefined, headers), { status: 503, code: '9002' })
  await server.start()
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTodo } from './creating.ts'
import { header, service, unknownId } from './table.ts'
import { wire } from './wire.ts'

const app = service()
const trace = '0af7651916cd43dd8448eb211c80319c'
const hex32 = /^[0-9a-f]{32}$/

const trackOf = async (headers: Record<string, string | string[]>): Promise<string> =>
  (await wire(app().url, { path: `/api/v1/todos/${unknownId}`, headers })).headers['x-track'] ?? ''

for (const track of ['a', 'x'.repeat(64), 'A-z_0.9']) {
  test(`X-Track '${track.slice(0, 12)}' of length ${track.length} is kept`, async () => {
    assert.equal(await trackOf({ 'x-track': track }), track)
  })
}

for (const track of ['', 'x'.repeat(65), 'a b', 'é', '<b>']) {
  test(`X-Track '${track.slice(0, 12)}' of length ${track.length} is replaced`, async () => {
    assert.match(await trackOf({ 'x-track': Buffer.from(track).toString('latin1') }), hex32)
  })
}

test('two X-Track fields are ignored', async () => {
  assert.match(await trackOf({ 'x-track': ['a', 'b'] }), hex32)
})

test('every request without X-Track gets its own track', async () => {
  const tracks = await Promise.all(Array.from({ length: 20 }, () => trackOf({})))
  for (const track of tracks) assert.match(track, hex32)
  assert.equal(new Set(tracks).size, 20)
})

test('the trace id of a valid traceparent is the track', async () => {
  assert.equal(await trackOf({ traceparent: `00-${trace}-b7ad6b7169203331-01` }), trace)
  assert.equal(await trackOf({ traceparent: `00-${trace}-b7ad6b7169203331-00` }), trace)
})

test('X-Track takes precedence over traceparent, unless it is invalid', async () => {
  const traceparent = `00-${trace}-b7ad6b7169203331-01`
  assert.equal(await trackOf({ 'x-track': 'mine', traceparent }), 'mine')
  assert.equal(await trackOf({ 'x-track': 'not valid', traceparent }), trace)
})

const invalid = [
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `ff-${trace}-b7ad6b7169203331-01`,
  `00-${trace.toUpperCase()}-b7ad6b7169203331-01`,
  `00-${trace}-b7ad6b7169203331-01-extra`,
]
for (const traceparent of invalid) {
  test(`the invalid traceparent '${traceparent}' is ignored`, async () => {
    const track = await trackOf({ traceparent })
    assert.match(track, hex32)
    assert.notEqual(track, trace)
    assert.notEqual(track, trace.toUpperCase())
    assert.notEqual(track, '0'.repeat(32))
  })
}

test('every kind of answer carries the track of its request', async () => {
  const id = await createTodo(app())
  const lines: [string, string][] = [
    ['GET', '/api/v1/todos'],
    ['HEAD', '/api/v1/todos'],
    ['OPTIONS', '/api/v1/todos'],
    ['DELETE', '/api/v1/todos'],
    ['TRACE', '/api/v1/todos'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/outside'],
    ['DELETE', `/api/v1/todos/${id}`],
  ]
  for (const [method, path] of lines) {
    const track = `t-${method}-${lines.findIndex((line) => line[1] === path)}`
    const answer = await wire(app().url, { method, path, headers: { 'x-track': track } })
    assert.equal(answer.headers['x-track'], track, `${method} ${path}`)
  }
})

test('the track of a request is on exactly one log line', async () => {
  await app()('GET /todos', undefined, { 'x-track': 'find-me-in-the-log' })
  const answer = await app()('GET /todos')
  const other = header(answer, 'x-track')
  const lines = (track: string) => app().log.filter((line) => Object.values(line).includes(track))
  assert.equal(lines('find-me-in-the-log').length, 1)
  assert.equal(lines(other).length, 1)
})

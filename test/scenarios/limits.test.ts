import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTodo, person } from './people.ts'
import {
  content,
  expectAnswer,
  expectErrorShape,
  expectEverywhere,
  field,
  header,
  jsonBody,
  service,
} from './table.ts'
import { wire } from './wire.ts'

const small = service({ BODY_LIMIT: '1KiB', PAGE_SIZE_MAX: '3' })
const limited = service({ RATE_LIMIT: '5/60s' })
const tokyo = service({ TIME_ZONE: 'Asia/Tokyo' })
const withPublicUrl = service({ PUBLIC_URL: 'https://rollcall.example' })
const withPublicPath = service({ PUBLIC_URL: 'https://pub.example/base' })
const withCors = service({ CORS_ORIGINS: 'https://app.example' })

test('a body of exactly BODY_LIMIT is accepted, a larger one is 413', async () => {
  const sent = (size: number): string => `{"todoTitle":"a"${' '.repeat(size - 17)}}`
  assert.equal(sent(1024).length, 1024)
  expectAnswer(await small()('POST /todos', sent(1024), jsonBody), { status: 201 })
  expectAnswer(await small()('POST /todos', sent(1025), jsonBody), { status: 413, code: '6004' })
  expectAnswer(await small()('POST /members', person({ address: 'x'.repeat(2000) })), {
    status: 413,
    code: '6004',
  })
})

test('PAGE_SIZE_MAX caps both the requested and the default page size', async () => {
  for (let i = 0; i < 4; i += 1) await createTodo(small())
  for (const query of ['size=100', 'page=0', 'cursor=', 'cursor=&size=50']) {
    const answer = await small()(`GET /todos?${query}`)
    expectAnswer(answer, { status: 200, shows: { size: 3 } })
    assert.equal(content(answer).length, 3)
  }
})

test('a request beyond RATE_LIMIT is 429 with Retry-After and the RateLimit fields', async () => {
  for (let i = 0; i < 5; i += 1) {
    const answer = await limited()('GET /todos')
    expectAnswer(answer, { status: 200 })
  }
  const refused = await limited()('GET /todos')
  expectAnswer(refused, {
    status: 429,
    code: '9005',
    answers: { 'retry-after': /^[1-9]\d*$/, ratelimit: /./, 'ratelimit-policy': /./ },
  })
  assert.ok(Number(header(refused, 'retry-after')) <= 60)
})

test('a reached rate limit covers other methods and paths too, whatever X-Forwarded-For says', async () => {
  for (const [method, path] of [
    ['POST', '/api/v1/todos'],
    ['GET', '/api/v1/members'],
    ['GET', '/api/v1/nothing'],
  ]) {
    const answer = await wire(limited().url, {
      method: String(method),
      path: String(path),
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
    assert.equal(answer.status, 429, `${method} ${path}`)
    expectEverywhere(answer.headers)
    expectErrorShape(JSON.parse(answer.bytes.toString()))
  }
})

test('createdAt of a todo has the offset of TIME_ZONE', async () => {
  const answer = await tokyo()('POST /todos', { todoTitle: 'a' })
  expectAnswer(answer, { status: 201 })
  const createdAt = field(answer, 'createdAt')
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+09:00$/)
  assertRecent(createdAt)
})

test('createdAt of a member is in UTC, whatever TIME_ZONE says', async () => {
  const answer = await tokyo()('POST /members', person())
  expectAnswer(answer, { status: 201 })
  assert.match(field(answer, 'createdAt'), /Z$/)
  assertRecent(field(answer, 'createdAt'))
})

const assertRecent = (instant: string) =>
  assert.ok(Math.abs(Date.now() - Date.parse(instant)) < 60_000, instant)

test('Location begins with PUBLIC_URL', async () => {
  const answer = await withPublicUrl()('POST /todos', { todoTitle: 'a' })
  assert.match(header(answer, 'location'), /^https:\/\/rollcall\.example\/api\/v1\/todos\/[0-9a-f-]{36}$/)
})

test('instance in problem details is the requested path without its query, below that of PUBLIC_URL', async () => {
  const accept = 'application/problem+json, application/json;q=0.9'
  for (const [app, instance] of [
    [withPublicUrl, '/api/v1/members/abc'],
    [withPublicPath, '/base/api/v1/members/abc'],
  ] as const) {
    const answer = await app()('GET /members/abc?view=reduced', undefined, { accept })
    expectAnswer(answer, { status: 404, shows: { instance } })
  }
})

test('without TRUST_PROXY, a forwarded host does not appear in Location', async () => {
  const answer = await wire(small().url, {
    method: 'POST',
    path: '/api/v1/todos',
    headers: {
      ...jsonBody,
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    },
    body: '{"todoTitle":"a"}',
  })
  assert.equal(answer.status, 201)
  assert.ok(answer.headers.location?.startsWith(`${small().url}/api/v1/todos/`))
})

test('a preflight is allowed for an origin in CORS_ORIGINS and for no other', async () => {
  const preflightFrom = (origin: string, headers: Record<string, string> = {}) =>
    wire(withCors().url, { method: 'OPTIONS', path: '/api/v1/todos', headers: { origin, ...headers } })
  const preflight = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  }
  const allowed = await preflightFrom('https://app.example', preflight)
  assert.equal(allowed.headers['access-control-allow-origin'], 'https://app.example')
  assert.match(allowed.headers['access-control-allow-methods'] ?? '', /POST/)
  assert.match(allowed.headers['access-control-allow-headers'] ?? '', /content-type/i)
  assert.match(allowed.headers.vary ?? '', /origin/i)
  const other = await preflightFrom('https://evil.example', preflight)
  assert.equal(other.headers['access-control-allow-origin'], undefined)
  const lookalike = await preflightFrom('https://app.example.evil.example', preflight)
  assert.equal(lookalike.headers['access-control-allow-origin'], undefined)
})

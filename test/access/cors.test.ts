import assert from 'node:assert/strict'
import { test } from 'node:test'
import { responseHeaders } from '#http/openapi/headers.ts'
import { type Answer, rawExchange, request, startApp } from '../harness.ts'
import { firstAnswer } from '../scenarios/wire.ts'
import { basic, startBasic } from './callers.ts'

const origin = 'https://app.example'
const settings = { CORS_ORIGINS: `${origin}, https://other.example` }

const corsFields = ({ headers }: Pick<Answer, 'headers'>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(access-control-|vary$)/.test(name)))

const vary = 'Accept, Accept-Language, Accept-Encoding, Prefer'

test('without CORS_ORIGINS no answer has CORS headers or varies on Origin', async (t) => {
  const api = await startApp(t)
  for (const line of ['GET /todos', 'OPTIONS /todos', 'GET /cars']) {
    const fields = corsFields(await api(line, undefined, { origin, 'access-control-request-method': 'GET' }))
    assert.deepEqual(
      Object.keys(fields).filter((name) => name !== 'vary'),
      [],
    )
    assert.doesNotMatch(fields.vary ?? '', /Origin/)
  }
})

test('a preflight from a known origin is answered with the permitted methods and headers', async (t) => {
  const api = await startApp(t, { ...settings, ACCESS: 'basic' })
  const preflight = {
    origin,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'if-match',
  }
  const answer = await api('OPTIONS /members/x', undefined, preflight)
  assert.equal(answer.status, 204)
  const {
    'access-control-allow-headers': headers = '',
    'access-control-expose-headers': exposed = '',
    ...fields
  } = corsFields(answer)
  assert.deepEqual(fields, {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-max-age': '600',
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  })
  for (const name of ['Authorization', 'Content-Type', 'If-Match', 'Idempotency-Key', 'tracestate'])
    assert.ok(headers.includes(name))
  for (const name of ['ETag', 'Location', 'X-Track', 'X-Total-Count', 'Link'])
    assert.ok(exposed.includes(name))
})

/** Fields that a page may always read (Fetch, 2.2.2), and fields for its browser or for caches. */
const needsNoExposing =
  /^(X-Accel-Buffering|Cache-Control|Content-Language|Last-Modified|Vary|Content-Encoding|Access-Control-.*|X-Content-Type-Options|Referrer-Policy|Content-Security-Policy)$/

test('every response header that the OpenAPI document describes is readable by a known origin', async (t) => {
  const api = await startApp(t, settings)
  const { 'access-control-expose-headers': exposed = '' } = corsFields(
    await api('GET /cars', undefined, { origin }),
  )
  const names = Object.keys(responseHeaders).filter(
    (name) => !/Of[A-Z]/.test(name) && !needsNoExposing.test(name),
  )
  assert.ok(names.includes('Sunset'))
  assert.deepEqual(
    names.filter((name) => !exposed.split(', ').includes(name)),
    [],
  )
})

test('a preflight from a known origin gets 204 even where the request itself would be refused', async (t) => {
  const api = await startApp(t, settings)
  const preflight = { origin, 'access-control-request-method': 'POST' }
  for (const path of ['/cars', '/todos/none', '/openapi.json']) {
    const answer = await api(`OPTIONS ${path}`, undefined, preflight)
    assert.equal(answer.status, 204, path)
    assert.match(corsFields(answer)['access-control-allow-methods'] ?? '', /POST/, path)
  }
  const elsewhere = await request(api.url, 'OPTIONS /elsewhere', { headers: preflight })
  assert.equal(elsewhere.status, 204)
})

test('a preflight from a known origin does not count towards the rate limit, and a 429 is readable', async (t) => {
  const api = await startBasic(t, { ...settings, RATE_LIMIT: '2/60s' })
  const statusOf = async (line: string, headers: Record<string, string>) =>
    (await api(line, undefined, headers)).status
  const preflight = { origin, 'access-control-request-method': 'GET' }
  for (let count = 0; count < 4; count++) assert.equal(await statusOf('OPTIONS /todos', preflight), 204)
  const wrong = { origin, ...basic('nobody', 'wrong') }
  assert.deepEqual([await statusOf('GET /todos', wrong), await statusOf('GET /todos', wrong)], [401, 401])
  const refused = await api('GET /todos', undefined, wrong)
  assert.equal(refused.status, 429)
  assert.equal(corsFields(refused)['access-control-allow-origin'], origin)
  assert.equal(await statusOf('OPTIONS /todos', preflight), 204)
  for (const counted of [{ origin }, { ...preflight, origin: 'https://evil.example' }])
    assert.equal(await statusOf('OPTIONS /todos', counted), 429)
})

const early: readonly (readonly [string, number, string])[] = [
  ['a target that is too long', 414, `GET /api/v1/members?name=${'a'.repeat(9_000)} HTTP/1.1`],
  ['a head that is too large', 431, `GET /api/v1/members HTTP/1.1\r\nX-Large: ${'a'.repeat(17_000)}`],
  ['an unknown expectation', 417, 'GET /api/v1/members HTTP/1.1\r\nExpect: foo'],
  [
    'a malformed chunked body',
    400,
    'POST /api/v1/todos HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked',
  ],
]
for (const [flaw, status, start] of early) {
  test(`${flaw} is refused with an answer that a page of a known origin may read`, async (t) => {
    const api = await startApp(t, settings)
    const fieldsFor = async (origin: string) => {
      const sent = `${start}\r\nHost: x\r\nOrigin: ${origin}\r\nConnection: close\r\n\r\nzz\r\n`
      const answer = firstAnswer(await rawExchange(api.url, sent))
      assert.equal(answer.status, status, answer.text)
      return corsFields(answer)
    }
    assert.equal((await fieldsFor(origin))['access-control-allow-origin'], origin)
    assert.equal((await fieldsFor('https://evil.example'))['access-control-allow-origin'], undefined)
  })
}

test('the refusal of a head that the parser could not read has no CORS headers', async (t) => {
  const api = await startApp(t, settings)
  for (const start of ['GET / HTTP/1.1\r\nX-A : b', `GET /${'a'.repeat(30_000)} HTTP/1.1`]) {
    const answer = firstAnswer(await rawExchange(api.url, `${start}\r\nOrigin: ${origin}\r\n\r\n`))
    assert.deepEqual(Object.keys(corsFields(answer)), ['vary'], start.slice(0, 20))
  }
})

test('every answer to a known origin is readable, including refusals', async (t) => {
  const api = await startApp(t, { ...settings, ACCESS: 'basic' })
  for (const line of ['GET /todos', 'GET /cars', 'PATCH /todos']) {
    const fields = corsFields(await api(line, undefined, { origin }))
    assert.equal(fields['access-control-allow-origin'], origin, line)
    assert.equal(fields['access-control-allow-credentials'], undefined)
    assert.equal(fields.vary, `Origin, ${vary}`)
  }
  const outside = await request(api.url, 'GET /elsewhere', { headers: { origin } })
  assert.equal(outside.headers['access-control-allow-origin'], origin)
})

test('an unknown origin gets `Vary: Origin` and no CORS headers', async (t) => {
  const api = await startApp(t, settings)
  const strangers = [
    'https://evil.example',
    'null',
    'https://app.example.evil.example',
    'http://app.example',
    `${origin}:8443`,
  ]
  for (const stranger of strangers) {
    const answer = await api('OPTIONS /todos', undefined, {
      origin: stranger,
      'access-control-request-method': 'GET',
    })
    assert.deepEqual(corsFields(answer), { vary: 'Origin' }, stranger)
    assert.equal(answer.status, 204)
  }
  assert.deepEqual(corsFields(await api('GET /todos')), { vary: `Origin, ${vary}` })
})

test('with CORS_ORIGINS=* every origin may read', async (t) => {
  const api = await startApp(t, { CORS_ORIGINS: '*' })
  const answer = await api('GET /todos', undefined, { origin: 'https://any.example' })
  assert.equal(answer.headers['access-control-allow-origin'], '*')
  assert.equal(answer.headers.vary, vary)
})

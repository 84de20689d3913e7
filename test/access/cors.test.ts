import assert from 'node:assert/strict'
import { test } from 'node:test'
import { responseHeaders } from '#http/openapi/headers.ts'
import { type Answer, rawExchange, request, startApp } from '../harness.ts'
import { firstAnswer } from '../scenarios/wire.ts'
import { basic, startBasic } from './callers.ts'

const origin = 'https://app.example'
const settings = { CORS_ORIGINS: `${origin}, https://other.example` }

const told = ({ headers }: Pick<Answer, 'headers'>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(access-control-|vary$)/.test(name)))

const vary = 'Accept, Accept-Language, Accept-Encoding'

test('without origins no answer speaks of other origins', async (t) => {
  const api = await startApp(t)
  for (const line of ['GET /todos', 'OPTIONS /todos', 'GET /cars']) {
    const fields = told(await api(line, undefined, { origin, 'access-control-request-method': 'GET' }))
    assert.deepEqual(
      Object.keys(fields).filter((name) => name !== 'vary'),
      [],
    )
    assert.doesNotMatch(fields.vary ?? '', /Origin/)
  }
})

test('a preflight of a known origin is answered with what may be sent', async (t) => {
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
  } = told(answer)
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

/** What a page may read anyway (Fetch, 2.2.2), and what is said to its browser and to caches. */
const needsNoLeave =
  /^(Cache-Control|Content-Language|Last-Modified|Vary|Content-Encoding|Access-Control-.*|X-Content-Type-Options|Referrer-Policy|Content-Security-Policy)$/

test('whatever the document tells of an answer, a page of a known origin may read', async (t) => {
  const api = await startApp(t, settings)
  const { 'access-control-expose-headers': exposed = '' } = told(
    await api('GET /cars', undefined, { origin }),
  )
  const names = Object.keys(responseHeaders).filter(
    (name) => !/Of[A-Z]/.test(name) && !needsNoLeave.test(name),
  )
  assert.ok(names.includes('Sunset'))
  assert.deepEqual(
    names.filter((name) => !exposed.split(', ').includes(name)),
    [],
  )
})

test('a preflight of a known origin is let in where the request itself is refused, so that its page reads why', async (t) => {
  const api = await startApp(t, settings)
  const preflight = { origin, 'access-control-request-method': 'POST' }
  for (const path of ['/cars', '/todos/none', '/openapi.json']) {
    const answer = await api(`OPTIONS ${path}`, undefined, preflight)
    assert.equal(answer.status, 204, path)
    assert.match(told(answer)['access-control-allow-methods'] ?? '', /POST/, path)
  }
  const elsewhere = await request(api.url, 'OPTIONS /elsewhere', { headers: preflight })
  assert.equal(elsewhere.status, 204)
})

test('no preflight of a known origin is counted, and a refusal for the limit may be read', async (t) => {
  const api = await startBasic(t, { ...settings, RATE_LIMIT: '2/60s' })
  const statusOf = async (line: string, headers: Record<string, string>) =>
    (await api(line, undefined, headers)).status
  const preflight = { origin, 'access-control-request-method': 'GET' }
  for (let count = 0; count < 4; count++) assert.equal(await statusOf('OPTIONS /todos', preflight), 204)
  const wrong = { origin, ...basic('nobody', 'wrong') }
  assert.deepEqual([await statusOf('GET /todos', wrong), await statusOf('GET /todos', wrong)], [401, 401])
  const refused = await api('GET /todos', undefined, wrong)
  assert.equal(refused.status, 429)
  assert.equal(told(refused)['access-control-allow-origin'], origin)
  assert.equal(await statusOf('OPTIONS /todos', preflight), 204)
  for (const counted of [{ origin }, { ...preflight, origin: 'https://evil.example' }])
    assert.equal(await statusOf('OPTIONS /todos', counted), 429)
})

const early: readonly (readonly [string, number, string])[] = [
  ['a target that is too long', 414, `GET /api/v1/members?name=${'a'.repeat(9_000)} HTTP/1.1`],
  ['fields that are too large', 431, `GET /api/v1/members HTTP/1.1\r\nX-Large: ${'a'.repeat(17_000)}`],
  ['an expectation that nobody meets', 417, 'GET /api/v1/members HTTP/1.1\r\nExpect: foo'],
  ['a Host too many', 400, 'GET /api/v1/members HTTP/1.1\r\nHost: y'],
  ['a target that is none', 400, 'GET http:// HTTP/1.1'],
  ['a method that nobody knows', 405, 'NOSUCH /api/v1/members HTTP/1.1'],
  [
    'a body that breaks off',
    400,
    'POST /api/v1/todos HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked',
  ],
]
for (const [what, status, begin] of early) {
  test(`${what} is refused so that a page of a known origin may read it`, async (t) => {
    const api = await startApp(t, settings)
    const ask = async (origin: string) => {
      const sent = `${begin}\r\nHost: x\r\nOrigin: ${origin}\r\nConnection: close\r\n\r\nzz\r\n`
      const answer = firstAnswer(await rawExchange(api.url, sent))
      assert.equal(answer.status, status, answer.text)
      return told(answer)
    }
    assert.equal((await ask(origin))['access-control-allow-origin'], origin)
    assert.equal((await ask('https://evil.example'))['access-control-allow-origin'], undefined)
  })
}

test('whose head the parser could not read is told in words that no page may read', async (t) => {
  const api = await startApp(t, settings)
  for (const begin of ['GET / HTTP/1.1\r\nX-A : b', `GET /${'a'.repeat(30_000)} HTTP/1.1`]) {
    const answer = firstAnswer(await rawExchange(api.url, `${begin}\r\nOrigin: ${origin}\r\n\r\n`))
    assert.deepEqual(Object.keys(told(answer)), ['vary'], begin.slice(0, 20))
  }
})

test('every answer to a known origin may be read, refusals too', async (t) => {
  const api = await startApp(t, { ...settings, ACCESS: 'basic' })
  for (const line of ['GET /todos', 'GET /cars', 'PATCH /todos']) {
    const fields = told(await api(line, undefined, { origin }))
    assert.equal(fields['access-control-allow-origin'], origin, line)
    assert.equal(fields['access-control-allow-credentials'], undefined)
    assert.equal(fields.vary, `Origin, ${vary}`)
  }
  const outside = await request(api.url, 'GET /elsewhere', { headers: { origin } })
  assert.equal(outside.headers['access-control-allow-origin'], origin)
})

test('an origin that is not known is told nothing, but that answers differ', async (t) => {
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
    assert.deepEqual(told(answer), { vary: 'Origin' }, stranger)
    assert.equal(answer.status, 204)
  }
  assert.deepEqual(told(await api('GET /todos')), { vary: `Origin, ${vary}` })
})

test('with a star every origin may read', async (t) => {
  const api = await startApp(t, { CORS_ORIGINS: '*' })
  const answer = await api('GET /todos', undefined, { origin: 'https://any.example' })
  assert.equal(answer.headers['access-control-allow-origin'], '*')
  assert.equal(answer.headers.vary, vary)
})

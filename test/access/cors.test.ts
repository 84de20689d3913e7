import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, request, startApp } from '../harness.ts'

const origin = 'https://app.example'
const settings = { CORS_ORIGINS: `${origin}, https://other.example` }

const told = ({ headers }: Answer) =>
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
    'access-control-allow-methods': 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS',
    'access-control-max-age': '600',
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  })
  for (const name of ['Authorization', 'Content-Type', 'If-Match', 'Idempotency-Key'])
    assert.ok(headers.includes(name))
  for (const name of ['ETag', 'Location', 'X-Track', 'X-Total-Count', 'Link'])
    assert.ok(exposed.includes(name))
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

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { JWTPayload } from 'jose'
import { request } from '../harness.ts'
import { basic, root, stoppedClock } from './callers.ts'
import { audience, bearer, newKey, startIssuer, startOauth } from './issuer.ts'

const read = { scope: 'todos:read' }

/** A service, its issuer and clock, and a function that returns the status for a token with read access signed by a key. */
const startReading = async (t: TestContext) => {
  const issuer = await startIssuer(t)
  const clock = stoppedClock(Date.now())
  const api = await startOauth(t, issuer.url, { clock })
  const status = async (key?: Awaited<ReturnType<typeof newKey>>) =>
    (await api('GET /todos', undefined, bearer(await issuer.token(read, {}, key)))).status
  return { issuer, clock, api, status }
}

test('only a bearer token of the issuer is accepted; the 401 challenge names the metadata', async (t) => {
  const { issuer, api } = await startReading(t)
  const good = await issuer.token(read)
  assert.equal((await api('GET /todos', undefined, bearer(good))).status, 200)
  const none = await api('GET /todos')
  assert.equal(none.status, 401)
  const metadata = `${api.url}/.well-known/oauth-protected-resource/api/v1`
  assert.equal(none.headers['www-authenticate'], `Bearer realm="rollcall", resource_metadata="${metadata}"`)
  const login = await api('GET /todos', undefined, basic(root.signId, root.password))
  assert.equal(login.headers['www-authenticate'], none.headers['www-authenticate'])
  assert.equal((await api(`GET /todos?access_token=${good}`)).status, 401, 'not in the query')
})

test('each version of the API names its own metadata in every refusal', async (t) => {
  const issuer = await startIssuer(t)
  const apiPrefixes = ['/api/v1', '/api/v2']
  const { url } = await startOauth(t, issuer.url, { apiPrefixes })
  const refused = [
    ['GET /todos', {}],
    ['GET /todos', bearer('malformed')],
    ['GET /todos', bearer(await issuer.token(read, {}, await newKey('other')))],
    ['GET /members', bearer(await issuer.token(read))],
  ] as const
  for (const prefix of apiPrefixes)
    for (const [line, headers] of refused) {
      const { headers: answered } = await request(url + prefix, line, { headers })
      const [, metadata] = /resource_metadata="([^"]+)"/.exec(answered['www-authenticate'] ?? '') ?? []
      assert.equal(metadata, `${url}/.well-known/oauth-protected-resource${prefix}`)
    }
})

test('a token with an invalid claim or type gets 401; a clock skew of 20 seconds is tolerated', async (t) => {
  const { issuer, clock, api } = await startReading(t)
  const seconds = Math.floor(clock.now() / 1000)
  const claims: Readonly<Record<string, JWTPayload>> = {
    'another issuer': { iss: 'https://other.example' },
    'the issuer with a slash': { iss: `${issuer.url}/` },
    'another audience': { aud: 'https://other.example' },
    'no audience': { aud: undefined as never },
    expired: { exp: seconds - 31 },
    'no expiry': { exp: undefined as never },
    'not yet valid': { nbf: seconds + 60 },
    'no subject': { sub: undefined as never },
    'an empty subject': { sub: '', client_id: 'app' },
    'a subject that is not a string': { sub: 1001 as never, client_id: 'app' },
    'a subject with a NUL': { sub: 'a\0b' },
    'a subject with a control character': { sub: 'a\u0001b' },
    'half of a surrogate pair as subject': { sub: 'a\ud800' },
    'a subject that is null': { sub: null as never, client_id: 'app' },
    'bound to a key': { cnf: { jkt: 'x' } },
  }
  for (const [flaw, wrong] of Object.entries(claims)) {
    const answer = await api('GET /todos', undefined, bearer(await issuer.token({ ...read, ...wrong })))
    assert.equal(answer.status, 401, flaw)
    assert.match(
      answer.headers['www-authenticate'] ?? '',
      /error="invalid_token", error_description="[ -~]+"$/,
      flaw,
    )
  }
  for (const typ of ['JWT', 'id+jwt', undefined]) {
    const answer = await api('GET /todos', undefined, bearer(await issuer.token(read, { typ })))
    assert.equal(answer.status, 401, `typ ${typ}`)
  }
  const accepted: readonly JWTPayload[] = [
    { exp: seconds - 20 },
    { nbf: seconds + 20 },
    { aud: ['x', audience] },
  ]
  for (const claim of accepted) {
    const answer = await api('GET /todos', undefined, bearer(await issuer.token({ ...read, ...claim })))
    assert.equal(answer.status, 200, JSON.stringify(claim))
  }
})

test('the expiry of a token beyond the last possible date is shown as the last possible date', async (t) => {
  const { issuer, api } = await startReading(t)
  for (const exp of [1e18, 253_402_300_800]) {
    const me = await api('GET /me', undefined, bearer(await issuer.token({ ...read, exp })))
    assert.partialDeepStrictEqual(me, { status: 200, body: { until: '9999-12-31T23:59:59.999Z' } })
  }
})

test('a forged token is refused, whatever its algorithm', async (t) => {
  const { issuer, api } = await startReading(t)
  const good = await issuer.token(read)
  const [, payload = '', signature = ''] = good.split('.')
  const header = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url')
  const secret = JSON.stringify(issuer.state.keys[0]?.jwk)
  const hmac = header({ typ: 'at+jwt', alg: 'HS256', kid: 'one' })
  const stranger = await newKey('one')
  const rsa = await newKey('one', 'RS256')
  const forged = [
    `${header({ typ: 'at+jwt', alg: 'none' })}.${payload}.${signature}`,
    `${hmac}.${payload}.${createHmac('sha256', secret).update(`${hmac}.${payload}`).digest('base64url')}`,
    `${header({ typ: 'at+jwt', alg: 'ES256', kid: 'one', crit: ['x'], x: 1 })}.${payload}.${signature}`,
    `${header({ typ: 'at+jwt', alg: 'ES256', kid: 'one', jwk: stranger.jwk })}.${payload}.${signature}`,
    await issuer.token(read, {}, stranger),
    await issuer.token(read, {}, rsa),
    `${good.slice(0, -20)}${'A'.repeat(20)}`,
    good.replace(payload, Buffer.from('{"iss":').toString('base64url')),
    good.replace(payload, Buffer.from('[]').toString('base64url')),
  ]
  for (const token of forged) {
    assert.equal((await api('GET /todos', undefined, bearer(token))).status, 401, token.slice(0, 40))
  }
})

test('a token that is not three base64url parts, or has leftover bits in one, gets 401 without a request to the issuer', async (t) => {
  const { issuer, api } = await startReading(t)
  const good = await issuer.token(read)
  const leftover = good.slice(0, -1) + String.fromCharCode(good.charCodeAt(good.length - 1) + 1)
  const broken = [
    '',
    'x',
    'a.b',
    `${good}.`,
    `${good}.x`,
    `${good}=`,
    leftover,
    good.replace('.', '..'),
    ` ${good} x`,
    'a'.repeat(9000),
  ]
  for (const token of broken)
    assert.equal((await api('GET /todos', undefined, bearer(token))).status, 401, token)
  assert.deepEqual(issuer.state.requested, [])
})

test('scopes are read from `scope` and `scp`, and the scopes of the specification permit only access to todos', async (t) => {
  const { issuer, api } = await startReading(t)
  const status = async (line: string, claims: JWTPayload) =>
    (await api(line, undefined, bearer(await issuer.token(claims)))).status
  for (const claims of [read, { scp: 'x todos:read' }, { scp: ['x', 'todos:read'] }, { scope: 'READ' }]) {
    assert.equal(await status('GET /todos', claims), 200, JSON.stringify(claims))
  }
  for (const claims of [
    {},
    { scope: 'todos:reader' },
    { scope: 'read' },
    { scp: [1, null] },
    { scope: 'members:read' },
  ]) {
    assert.equal(await status('GET /todos', claims as JWTPayload), 403, JSON.stringify(claims))
  }
  assert.equal(await status('GET /members', { scope: 'READ' }), 403)
  const refused = await api('GET /members', undefined, bearer(await issuer.token(read)))
  const metadata = `${api.url}/.well-known/oauth-protected-resource/api/v1`
  assert.equal(
    refused.headers['www-authenticate'],
    `Bearer realm="rollcall", resource_metadata="${metadata}", error="insufficient_scope", scope="members:read"`,
  )
  assert.equal((refused.body as { code: string }).code, 'e.xx.fw.4003')
})

test('a client and a subject of the same name are two principals and share no idempotency keys', async (t) => {
  const { issuer, api } = await startReading(t)
  const create = async (claims: JWTPayload) => {
    const token = await issuer.token({ scope: 'todos:create', ...claims })
    const answer = await api(
      'POST /todos',
      { todoTitle: 'mine' },
      { ...bearer(token), 'idempotency-key': 'k' },
    )
    assert.equal(answer.status, 201)
    return answer.headers['idempotent-replayed'] ?? 'done'
  }
  const client: JWTPayload = { sub: undefined as never, client_id: 'app' }
  assert.equal(await create({ sub: 'app' }), 'done')
  assert.equal(await create(client), 'done')
  assert.equal(await create({ sub: '-id:app' }), 'done')
  assert.equal(await create({ sub: 'robot', client_id: 'app' }), 'done')
  assert.equal(await create({ ...client, jti: 'again' }), 'true')
})

test('unknown keys cause at most one JWKS request per 30 seconds, and a new key is found', async (t) => {
  const { issuer, clock, status } = await startReading(t)
  const [one, two, three] = [
    issuer.state.keys[0] ?? (await newKey('one')),
    await newKey('two'),
    await newKey('three'),
  ]
  assert.equal(await status(one), 200)
  assert.equal(issuer.keyRequests(), 1)
  clock.pass(30_000)
  for (let guess = 0; guess < 20; guess++) assert.equal(await status(await newKey(`guess ${guess}`)), 401)
  assert.equal(issuer.keyRequests(), 2)
  issuer.state.keys.push(two)
  assert.equal(await status(two), 401)
  clock.pass(30_000)
  assert.equal(await status(two), 200)
  assert.equal(await status(three), 401)
  assert.equal(issuer.keyRequests(), 3)
  clock.pass(300_000)
  assert.equal(await status(one), 200)
  for (let guess = 0; guess < 20; guess++) assert.equal(await status(three), 401)
  assert.equal(issuer.keyRequests(), 4, 'none right after that for a known key')
})

test('a new key is found even if the clock was set back since the last JWKS request', async (t) => {
  const { issuer, clock, status } = await startReading(t)
  assert.equal(await status(), 200)
  const two = await newKey('two')
  issuer.state.keys.push(two)
  clock.pass(-40_000)
  assert.equal(await status(two), 200)
})

test('the keys are found again after the issuer moves its JWKS', async (t) => {
  const { issuer, clock, status } = await startReading(t)
  assert.equal(await status(), 200)
  const two = await newKey('two')
  issuer.state.keys = [two]
  issuer.state.keysPath = '/moved'
  clock.pass(30_000)
  assert.equal(await status(two), 401)
  clock.pass(30_000)
  assert.equal(await status(two), 200)
})

test('a token without a kid is checked with up to eight matching keys', async (t) => {
  const issuer = await startIssuer(t)
  for (let at = 2; at <= 9; at++) issuer.state.keys.push(await newKey(`key ${at}`))
  const api = await startOauth(t, issuer.url)
  const status = async (key: (typeof issuer.state.keys)[number] | undefined, claims: JWTPayload = {}) =>
    (
      await api(
        'GET /todos',
        undefined,
        bearer(await issuer.token({ ...read, ...claims }, { kid: undefined }, key)),
      )
    ).status
  for (const at of [0, 1, 7]) assert.equal(await status(issuer.state.keys[at]), 200, `${at}`)
  assert.equal(await status(issuer.state.keys[8]), 401, 'the ninth')
  assert.equal(await status(await newKey('stranger')), 401)
  assert.equal(await status(issuer.state.keys[1], { aud: 'https://other.example' }), 401)
})

test('known keys keep working while the issuer is down; before its first answer a token gets 503', async (t) => {
  const { issuer, clock, api } = await startReading(t)
  issuer.state.isDown = true
  const early = await api('GET /todos', undefined, bearer(await issuer.token(read)))
  assert.equal(early.status, 503)
  assert.equal((early.body as { code: string }).code, 'e.xx.fw.9006')
  assert.equal(early.headers['retry-after'], '5')
  issuer.state.isDown = false
  clock.pass(5_000)
  assert.equal((await api('GET /todos', undefined, bearer(await issuer.token(read)))).status, 200)
  issuer.state.isDown = true
  clock.pass(300_000)
  assert.equal(
    (await api('GET /todos', undefined, bearer(await issuer.token({ ...read, jti: '2' })))).status,
    200,
  )
  const unknown = await issuer.token(read, {}, await newKey('unknown'))
  assert.equal((await api('GET /todos', undefined, bearer(unknown))).status, 401)
})

test('a token is remembered until it expires, whatever the case and spacing of its scheme', async (t) => {
  const { issuer, clock, api } = await startReading(t)
  const status = async (authorization: string) =>
    (await api('GET /todos', undefined, { authorization })).status
  const token = await issuer.token({ ...read, exp: Math.floor(clock.now() / 1000) + 5 })
  assert.equal(await status(`Bearer ${token}`), 200)
  const two = await newKey('two')
  issuer.state.keys = [two]
  clock.pass(30_000)
  assert.equal(await status(`Bearer ${await issuer.token(read, {}, two)}`), 200)
  // The token could not be verified again, because its key is gone.
  for (const spelled of [`bearer ${token}`, `BEARER   ${token}`]) assert.equal(await status(spelled), 200)
  for (const wrong of [token, `Digest ${token}`]) assert.equal(await status(wrong), 401)
  clock.pass(6_000)
  assert.equal(await status(`Bearer ${token}`), 401)
})

test('the resource metadata names the issuer on both listeners, for the root and the API path', async (t) => {
  const { issuer, api } = await startReading(t)
  const path = '/.well-known/oauth-protected-resource'
  for (const base of [api.url, api.management]) {
    for (const suffix of ['', '/api/v1']) {
      const answer = await request(base, `GET ${path}${suffix}`)
      assert.equal(answer.status, 200)
      const body = answer.body as Readonly<Record<string, unknown>>
      assert.equal(body.resource, base + suffix)
      assert.deepEqual(body.authorization_servers, [issuer.url])
      assert.deepEqual(body.bearer_methods_supported, ['header'])
      assert.ok((body.scopes_supported as string[]).includes('members:credential') === false)
      assert.ok((body.scopes_supported as string[]).includes('members:update'))
    }
  }
  assert.equal((await request(api.url, `POST ${path}`)).status, 405)
  assert.equal((await request(api.url, `GET ${path}/other`)).status, 403)
})

test('a discovery document that names a different issuer is rejected: 503', async (t) => {
  const issuer = await startIssuer(t)
  const api = await startOauth(t, issuer.url.replace('127.0.0.1', 'localhost'))
  assert.equal((await api('GET /todos', undefined, bearer(await issuer.token(read)))).status, 503)
})

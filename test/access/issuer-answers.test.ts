import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { stoppedClock } from './callers.ts'
import { bearer, newKey, startIssuer, startOauth } from './issuer.ts'

type Told = (outgoing: ServerResponse, keys: string, issuer: string) => void

const json = { 'content-type': 'application/json' }

/** Answers of an issuer, each with the right keys in it somewhere, that are not believed. */
const untrusted: Readonly<Record<string, Told>> = {
  'that leads elsewhere': (outgoing, _, issuer) =>
    void outgoing.writeHead(302, { location: `${issuer}/jwks` }).end(),
  'of more than 512 KiB': (outgoing, keys) =>
    void outgoing.writeHead(200, json).end(keys + ' '.repeat(512 * 1024)),
  'that is an error': (outgoing, keys) => void outgoing.writeHead(500, json).end(keys),
  'that breaks off': (outgoing, keys) => {
    outgoing.writeHead(200, { ...json, 'content-length': keys.length + 1 })
    outgoing.write(keys, () => outgoing.destroy())
  },
  'that is no JSON': (outgoing, keys) => void outgoing.writeHead(200, json).end(`<${keys}>`),
  'that shows no key': (outgoing) => void outgoing.writeHead(200, json).end('{"keys":[]}'),
  'that holds no keys': (outgoing) => void outgoing.writeHead(200, json).end('{"keys":{}}'),
}

/** An address where all that is asked is answered so. */
const listening = async (t: TestContext, answer: (outgoing: ServerResponse) => void) => {
  const server = createServer((_, outgoing) => answer(outgoing)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

for (const [what, tell] of Object.entries(untrusted)) {
  test(`an answer ${what} tells no keys: 503 until there is a better one`, async (t) => {
    const issuer = await startIssuer(t)
    const keys = JSON.stringify({ keys: issuer.state.keys.map(({ jwk }) => jwk) })
    const state = { tell }
    const OAUTH_JWKS_URL = await listening(t, (outgoing) => state.tell(outgoing, keys, issuer.url))
    const clock = stoppedClock(Date.now())
    const api = await startOauth(t, issuer.url, { clock }, { OAUTH_JWKS_URL })
    const headers = bearer(await issuer.token({ scope: 'todos:read' }))
    const early = await api('GET /todos', undefined, headers)
    assert.equal(early.status, 503)
    assert.equal((early.body as { code: string }).code, 'e.xx.fw.9006')
    state.tell = (outgoing) => void outgoing.writeHead(200, json).end(keys)
    clock.pass(5_000)
    assert.equal((await api('GET /todos', undefined, headers)).status, 200)
    assert.deepEqual(issuer.state.asked, [], 'no redirect is followed')
  })
}

test('nobody waits for an issuer that takes its time, and its answer counts when it comes', async (t) => {
  const issuer = await startIssuer(t)
  const keys = JSON.stringify({ keys: issuer.state.keys.map(({ jwk }) => jwk) })
  const asked = Promise.withResolvers<ServerResponse>()
  const OAUTH_JWKS_URL = await listening(t, (outgoing) => asked.resolve(outgoing))
  const api = await startOauth(t, issuer.url, { clock: stoppedClock(Date.now()) }, { OAUTH_JWKS_URL })
  const status = async () =>
    (await api('GET /todos', undefined, bearer(await issuer.token({ scope: 'todos:read' })))).status
  assert.equal(await status(), 503)
  const outgoing = await asked.promise
  assert.equal(outgoing.destroyed, false, 'it may still answer')
  outgoing.writeHead(200, json).end(keys)
  assert.equal(await status(), 200)
})

test('a key that is new is neither wrong nor waited for while the issuer takes its time, and others go on', async (t) => {
  const issuer = await startIssuer(t)
  const keys = () => JSON.stringify({ keys: issuer.state.keys.map(({ jwk }) => jwk) })
  const asked = Promise.withResolvers<ServerResponse>()
  let answers = 0
  const OAUTH_JWKS_URL = await listening(t, (outgoing) => {
    answers += 1
    if (answers === 1) outgoing.writeHead(200, json).end(keys())
    else asked.resolve(outgoing)
  })
  const clock = stoppedClock(Date.now())
  const api = await startOauth(t, issuer.url, { clock }, { OAUTH_JWKS_URL })
  const status = async (at: number, jti: string) => {
    const token = await issuer.token({ scope: 'todos:read', jti }, {}, issuer.state.keys[at])
    return (await api('GET /todos', undefined, bearer(token))).status
  }
  assert.equal(await status(0, 'first'), 200)
  issuer.state.keys.push(await newKey('two'))
  clock.pass(30_000)
  const waiting = status(1, 'early')
  const outgoing = await asked.promise
  assert.equal(await status(0, 'beside'), 200)
  assert.equal(await waiting, 503)
  outgoing.writeHead(200, json).end(keys())
  assert.equal(await status(1, 'late'), 200)
})

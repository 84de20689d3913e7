import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { stoppedClock } from './callers.ts'
import { bearer, listening, newKey, startIssuer, startOauth } from './issuer.ts'

type Respond = (outgoing: ServerResponse, keys: string, issuer: string) => void

const json = { 'content-type': 'application/json' }

/** Answers of an issuer that are not trusted, even if they contain the right keys. */
const untrusted: Readonly<Record<string, Respond>> = {
  'that redirects': (outgoing, _, issuer) =>
    void outgoing.writeHead(302, { location: `${issuer}/jwks` }).end(),
  'of more than 512 KiB': (outgoing, keys) =>
    void outgoing.writeHead(200, json).end(keys + ' '.repeat(512 * 1024)),
  'with status 500': (outgoing, keys) => void outgoing.writeHead(500, json).end(keys),
  'that breaks off': (outgoing, keys) => {
    outgoing.writeHead(200, { ...json, 'content-length': keys.length + 1 })
    outgoing.write(keys, () => outgoing.destroy())
  },
  'that is not JSON': (outgoing, keys) => void outgoing.writeHead(200, json).end(`<${keys}>`),
  'with an empty list of keys': (outgoing) => void outgoing.writeHead(200, json).end('{"keys":[]}'),
  'whose keys are not a list': (outgoing) => void outgoing.writeHead(200, json).end('{"keys":{}}'),
}

for (const [flaw, respond] of Object.entries(untrusted)) {
  test(`a JWKS answer ${flaw} is rejected, and tokens get 503 until a good one arrives`, async (t) => {
    const issuer = await startIssuer(t)
    const keys = JSON.stringify({ keys: issuer.state.keys.map(({ jwk }) => jwk) })
    const state = { respond }
    const OAUTH_JWKS_URL = await listening(t, (_, outgoing) => state.respond(outgoing, keys, issuer.url))
    const clock = stoppedClock(Date.now())
    const api = await startOauth(t, issuer.url, { clock }, { OAUTH_JWKS_URL })
    const headers = bearer(await issuer.token({ scope: 'todos:read' }))
    const early = await api('GET /todos', undefined, headers)
    assert.equal(early.status, 503)
    assert.equal((early.body as { code: string }).code, 'e.xx.fw.9006')
    const failing = async () => {
      const ready = await fetch(`${api.management}/health/ready`)
      return [ready.status, ((await ready.json()) as { failing?: readonly string[] }).failing]
    }
    assert.deepEqual(await failing(), [200, ['issuer keys']])
    state.respond = (outgoing) => void outgoing.writeHead(200, json).end(keys)
    clock.pass(5_000)
    assert.equal((await api('GET /todos', undefined, headers)).status, 200)
    assert.deepEqual(await failing(), [200, undefined])
    assert.deepEqual(issuer.state.requested, [], 'no redirect is followed')
  })
}

test('while a slow issuer is asked for a new key, tokens with that key get 503 and known keys keep working', async (t) => {
  const issuer = await startIssuer(t)
  const keys = () => JSON.stringify({ keys: issuer.state.keys.map(({ jwk }) => jwk) })
  const request = Promise.withResolvers<ServerResponse>()
  let answers = 0
  const OAUTH_JWKS_URL = await listening(t, (_, outgoing) => {
    answers += 1
    if (answers === 1) outgoing.writeHead(200, json).end(keys())
    else request.resolve(outgoing)
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
  const outgoing = await request.promise
  assert.equal(await status(0, 'beside'), 200)
  assert.equal(await waiting, 503)
  assert.equal(outgoing.destroyed, false, 'it may still answer')
  outgoing.writeHead(200, json).end(keys())
  assert.equal(await status(1, 'late'), 200)
})

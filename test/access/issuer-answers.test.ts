import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { bearer, startIssuer, startOauth } from './issuer.ts'

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
  'that holds no keys': (outgoing) => void outgoing.writeHead(200, json).end('{"keys":{}}'),
}

for (const [what, tell] of Object.entries(untrusted)) {
  test(`an answer ${what} tells no keys: 503 until there is a better one`, async (t) => {
    const issuer = await startIssuer(t)
    const keys = JSON.stringify({ keys: issuer.state.keys.map(({ jwk }) => jwk) })
    const state = { tell }
    const server = createServer((_, outgoing) => state.tell(outgoing, keys, issuer.url)).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    const OAUTH_JWKS_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    let now = Date.now()
    const api = await startOauth(t, issuer.url, { clock: { now: () => now } }, { OAUTH_JWKS_URL })
    const headers = bearer(await issuer.token({ scope: 'todos:read' }))
    const early = await api('GET /todos', undefined, headers)
    assert.equal(early.status, 503)
    assert.equal((early.body as { code: string }).code, 'e.xx.fw.9006')
    state.tell = (outgoing) => void outgoing.writeHead(200, json).end(keys)
    now += 5_000
    assert.equal((await api('GET /todos', undefined, headers)).status, 200)
    assert.deepEqual(issuer.state.asked, [], 'no redirect is followed')
  })
}

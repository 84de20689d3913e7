import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { startApp } from '../harness.ts'

export const audience = 'https://rollcall.example'

interface Key {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly jwk: object
}

export const newKey = async (kid: string, alg = 'ES256'): Promise<Key> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** Starts a server with this listener until the test ends, and returns its address. */
export const listening = async (t: TestContext, answer: RequestListener) => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An issuer under full control: its discovery document, its keys, and tokens valid or not. */
export const startIssuer = async (t: TestContext) => {
  const state = { keys: [await newKey('one')], keysPath: '/jwks', isDown: false, requested: [] as string[] }
  const url: string = await listening(t, (incoming, outgoing) => {
    state.requested.push(incoming.url ?? '')
    if (state.isDown) return void outgoing.destroy()
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': { issuer: url, jwks_uri: url + state.keysPath },
      [state.keysPath]: { keys: state.keys.map(({ jwk }) => jwk) },
    }
    const document = documents[incoming.url ?? '']
    outgoing.writeHead(document ? 200 : 404, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify(document ?? {}))
  })

  const token = async (
    claims: JWTPayload = {},
    header: Readonly<Record<string, unknown>> = {},
    key = state.keys[0],
  ) => {
    if (!key) throw new Error('no key')
    const seconds = Math.floor(Date.now() / 1000)
    const payload = { iss: url, aud: audience, sub: 'robot', iat: seconds, exp: seconds + 600, ...claims }
    const known = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined))
    return new SignJWT(known)
      .setProtectedHeader({ typ: 'at+jwt', alg: key.alg, kid: key.kid, ...header })
      .sign(key.privateKey)
  }
  return { url, state, token, keyRequests: () => state.requested.filter((path) => path === '/jwks').length }
}

export const startOauth = (
  t: TestContext,
  issuer: string,
  world: Parameters<typeof startApp>[2] = {},
  settings: Record<string, string> = {},
) => startApp(t, { ACCESS: 'oauth', OAUTH_ISSUER: issuer, OAUTH_AUDIENCE: audience, ...settings }, world)

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

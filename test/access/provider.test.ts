import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { audience, bearer, listening, startOauth } from './issuer.ts'

const scope = 'todos:read todos:create members:read'

const configuration = async (): Promise<Configuration> => ({
  jwks: { keys: await Promise.all([key('ES256'), key('RS256')]) },
  clients: [
    {
      client_id: 'robot',
      client_secret: 'robot secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope,
        audience,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 600,
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
  scopes: ['openid', ...scope.split(' ')],
})

const key = async (alg: string) => {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: alg }
}

/** A real issuer on a free port. */
const startProvider = async (t: TestContext): Promise<string> => {
  let answer: RequestListener | undefined
  const url = await listening(t, (incoming, outgoing) => answer?.(incoming, outgoing))
  answer = new Provider(url, await configuration()).callback()
  return url
}

test('a client finds a real issuer by the metadata alone, and the token is accepted within its scopes', async (t) => {
  const api = await startOauth(t, await startProvider(t))
  const challenge = (await api('GET /todos')).headers['www-authenticate'] ?? ''
  const metadata = (await (await fetch(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '')).json()) as {
    authorization_servers: readonly string[]
    scopes_supported: readonly string[]
  }
  assert.ok(metadata.scopes_supported.includes('todos:create'))
  const found = await fetch(`${metadata.authorization_servers[0]}/.well-known/openid-configuration`)
  const { token_endpoint: endpoint } = (await found.json()) as { token_endpoint: string }
  const fields = {
    grant_type: 'client_credentials',
    client_id: 'robot',
    client_secret: 'robot secret',
    resource: audience,
    scope: 'todos:create',
  }
  const answer = await fetch(endpoint, { method: 'POST', body: new URLSearchParams(fields) })
  assert.equal(answer.status, 200)
  const { access_token: token } = (await answer.json()) as { access_token: string }
  assert.equal(decodeProtectedHeader(token).typ, 'at+jwt')
  assert.equal((await api('POST /todos', { todoTitle: 'by a robot' }, bearer(token))).status, 201)
  assert.equal((await api('GET /todos', undefined, bearer(token))).status, 403)
})

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { audience, bearer, startOauth } from './issuer.ts'

const scope = 'todos:read todos:create members:read'
const redirectUri = 'https://app.example/callback'

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
    {
      client_id: 'app',
      redirect_uris: [redirectUri],
      response_types: ['code'],
      grant_types: ['authorization_code'],
      token_endpoint_auth_method: 'none',
    },
  ],
  cookies: { keys: [randomBytes(16).toString('hex')] },
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
  const server: Server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on('request', new Provider(url, await configuration()).callback())
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return url
}

const tokenFrom = async (
  issuer: string,
  fields: Readonly<Record<string, string>>,
): Promise<Record<string, string>> => {
  const answer = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(fields) })
  const body = (await answer.json()) as Record<string, string>
  assert.equal(answer.status, 200, JSON.stringify(body))
  return body
}

/** A browser that keeps cookies and follows redirects until they leave the issuer. */
const browser = () => {
  const cookies = new Map<string, string>()
  const visit = async (
    address: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<{ address: string; html: string }> => {
    if (address.startsWith(redirectUri)) return { address, html: '' }
    const answer = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const next = answer.headers.get('location')
    if (next) return visit(new URL(next, address).href)
    return { address, html: await answer.text() }
  }
  return visit
}

test('a client-credentials token of a real issuer is accepted, within its scope', async (t) => {
  const issuer = await startProvider(t)
  const api = await startOauth(t, issuer)
  const { access_token: token = '' } = await tokenFrom(issuer, {
    grant_type: 'client_credentials',
    client_id: 'robot',
    client_secret: 'robot secret',
    resource: audience,
    scope: 'todos:create',
  })
  assert.equal(decodeProtectedHeader(token).typ, 'at+jwt')
  assert.equal((await api('POST /todos', { todoTitle: 'by a robot' }, bearer(token))).status, 201)
  assert.equal((await api('GET /todos', undefined, bearer(token))).status, 403)
})

test('an authorization code with PKCE, found from the metadata alone, yields a valid token', async (t) => {
  const issuer = await startProvider(t)
  const api = await startOauth(t, issuer)
  const challenge = (await api('GET /todos')).headers['www-authenticate'] ?? ''
  const metadata = (await (await fetch(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '')).json()) as {
    authorization_servers: readonly string[]
    scopes_supported: readonly string[]
  }
  const server = metadata.authorization_servers[0] ?? ''
  const discovered = (await (await fetch(`${server}/.well-known/openid-configuration`)).json()) as Record<
    string,
    string
  >
  assert.ok(metadata.scopes_supported.includes('members:read'))

  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: 'app',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: `openid ${scope}`,
    resource: audience,
    state: 'state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const visit = browser()
  const login = await visit(`${discovered.authorization_endpoint}?${query}`)
  const action = (html: string) => /action="([^"]+)"/.exec(html)?.[1] ?? ''
  const consent = await visit(action(login.html), { prompt: 'login', login: 'mary', password: 'any' })
  const back = await visit(action(consent.html), { prompt: 'consent' })
  const answer = new URL(back.address).searchParams
  assert.equal(answer.get('state'), 'state')
  const tokens = await tokenFrom(server, {
    grant_type: 'authorization_code',
    client_id: 'app',
    code: answer.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: verifier,
    resource: audience,
  })
  assert.equal((await api('GET /members', undefined, bearer(tokens.access_token ?? ''))).status, 200)
  assert.equal(
    (await api('GET /members', undefined, bearer(tokens.id_token ?? ''))).status,
    401,
    'an ID token is not an access token',
  )
})

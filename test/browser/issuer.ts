import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { SignJWT } from 'jose'
import { newKey } from '#test/access/issuer.ts'

interface Grant {
  readonly challenge: string
  readonly redirectUri: string
  readonly clientId: string
}

interface State {
  /** Of tokens issued from now on; if negative, they have already expired. */
  lifetimeSeconds: number
  /** Of renewed tokens, if it is another one. */
  renewedLifetimeSeconds?: number
  renewals: number
  /** The `iss` of its responses (RFC 9207). */
  iss?: string
}

/**
 * An identity provider that signs in every visitor, by authorization code with PKCE. It sends a refresh token
 * only with the first access token.
 */
export const openIssuer = async (t: TestContext, audience: string, scope: string) => {
  const { kid, alg, privateKey, jwk } = await newKey('k1')
  const codes = new Map<string, Grant>()
  const state: State = { lifetimeSeconds: 3_600, renewals: 0 }
  let issuer = ''

  const sign = () =>
    new SignJWT({ scope, client_id: 'rollcall-console' })
      .setProtectedHeader({ alg, kid, typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('console-user')
      .setIssuedAt()
      .setJti(crypto.randomUUID())
      .setExpirationTime(Math.floor(Date.now() / 1000) + state.lifetimeSeconds)
      .sign(privateKey)

  const authorize = (query: URLSearchParams, response: ServerResponse) => {
    const code = crypto.randomUUID()
    const redirectUri = query.get('redirect_uri') ?? ''
    codes.set(code, {
      challenge: query.get('code_challenge') ?? '',
      redirectUri,
      clientId: query.get('client_id') ?? '',
    })
    const back = new URL(redirectUri)
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state') ?? '')
    if (state.iss !== undefined) back.searchParams.set('iss', state.iss)
    response.writeHead(302, { Location: back.href }).end()
  }

  const redeem = async (form: URLSearchParams, response: ServerResponse) => {
    const grant = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isValid =
      form.get('grant_type') === 'refresh_token'
        ? form.get('refresh_token') === 'again'
        : grant?.challenge === proof && grant.redirectUri === form.get('redirect_uri')
    if (form.get('grant_type') === 'refresh_token') {
      state.renewals += 1
      state.lifetimeSeconds = state.renewedLifetimeSeconds ?? state.lifetimeSeconds
    }
    if (!isValid) return json(response, 400, { error: 'invalid_grant' })
    const tokens = { access_token: await sign(), token_type: 'Bearer' }
    return json(response, 200, grant ? { ...tokens, refresh_token: 'again' } : tokens)
  }

  const server = createServer(async (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', issuer)
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    }
    if (pathname.startsWith('/.well-known/')) return json(response, 200, metadata)
    if (pathname === '/jwks') return json(response, 200, { keys: [jwk] })
    if (pathname === '/authorize') return authorize(searchParams, response)
    if (pathname === '/token') return redeem(new URLSearchParams(await read(incoming)), response)
    return json(response, 404, {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.after(() => server.close().closeAllConnections())
  return { url: issuer, state }
}

const json = (response: ServerResponse, status: number, body: object) =>
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' })
    .end(JSON.stringify(body))

const read = async (incoming: IncomingMessage) => Buffer.concat(await Array.fromAsync(incoming)).toString()

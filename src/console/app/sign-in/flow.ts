import { replaceAddress } from '#console/app/state/history.ts'
import { readRouteAgain } from '#console/app/state/route.ts'
import { type ActiveSignIn, signIn } from '#console/app/state/session.ts'
import { messageOf } from '#core/cause.ts'
import type { Provider } from './discovery.ts'

export const defaultClientId = 'rollcall-console'

/** The data that the page needs when the user returns from the provider. It is useless without the code that the provider sends. */
interface PendingSignIn {
  readonly state: string
  readonly verifier: string
  readonly clientId: string
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly resource: string
  /** The page of the console to return to, as the hash of its address. */
  readonly hash: string
}

const pendingKey = 'rollcall.sign-in'

/** The message of the error if the page was loaded over plain HTTP from another machine: then the browser has no SHA-256. */
export const insecure = 'insecure'

/** Begins the authorization code flow with PKCE (RFC 7636): leaves this page for the page of the provider. */
export const beginSignIn = async (provider: Provider, clientId: string) => {
  if (!isSecureContext) throw new Error(insecure)
  const { issuer, tokenEndpoint, resource } = provider
  const verifier = randomText()
  const state = randomText()
  const { hash } = location
  const pending: PendingSignIn = { state, verifier, clientId, issuer, tokenEndpoint, resource, hash }
  sessionStorage.setItem(pendingKey, JSON.stringify(pending))
  const address = new URL(provider.authorizationEndpoint)
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri(),
    scope: provider.scopes.join(' '),
    state,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
    resource,
  }
  for (const [name, value] of Object.entries(query)) if (value) address.searchParams.set(name, value)
  location.assign(address)
}

/** The message of the error if the provider did not answer. */
export const noAnswer = 'unanswered'

/** The error of the last sign-in, if it failed: reported by the provider, or found when the user returned. */
let failure: string | undefined

export const lastFailure = () => failure

/** Finishes a sign-in if the user returns from the provider. Does nothing otherwise. */
export const finishSignIn = async () => {
  const query = new URLSearchParams(location.search)
  if (!query.has('state') || !(query.has('code') || query.has('error'))) return
  const pending = takePending()
  replaceAddress(location.pathname + (pending?.hash ?? location.hash))
  readRouteAgain()
  try {
    signIn(await redeem(query, pending))
  } catch (error) {
    failure = messageOf(error)
  }
}

const takePending = (): PendingSignIn | undefined => {
  const stored = sessionStorage.getItem(pendingKey)
  sessionStorage.removeItem(pendingKey)
  return stored === null ? undefined : (JSON.parse(stored) as PendingSignIn)
}

const redeem = async (query: URLSearchParams, pending: PendingSignIn | undefined): Promise<ActiveSignIn> => {
  if (!pending || pending.state !== query.get('state')) throw new Error('state')
  // If the answer names an issuer, it must be the issuer to which the user was sent (RFC 9207).
  if ((query.get('iss') ?? pending.issuer) !== pending.issuer) throw new Error('state')
  const code = query.get('code')
  if (code === null) throw new Error(query.get('error_description') ?? query.get('error') ?? '')
  const proof = { code, redirect_uri: redirectUri(), code_verifier: pending.verifier }
  return requestToken({ grant_type: 'authorization_code', ...proof }, pending)
}

interface Tokens {
  readonly access_token?: string
  readonly refresh_token?: string
  readonly error?: string
}

/** The time limit for the provider. It is short, because nothing is rendered until the provider answers. */
const tokenTimeoutMs = 5_000

const requestToken = async (grant: Record<string, string>, pending: PendingSignIn): Promise<ActiveSignIn> => {
  const { clientId, resource, tokenEndpoint, issuer } = pending
  const body = new URLSearchParams({ ...grant, client_id: clientId, resource })
  const signal = AbortSignal.timeout(tokenTimeoutMs)
  const answered = fetch(tokenEndpoint, { method: 'POST', body, credentials: 'omit', signal })
  const response = await answered.catch((cause) => {
    throw new Error(noAnswer, { cause })
  })
  const tokens = (await response.json().catch(() => ({}))) as Tokens
  if (!tokens.access_token) throw new Error(tokens.error ?? String(response.status))
  // If the provider sends no new refresh token, the previous one stays valid (RFC 6749, 6).
  const refreshToken = tokens.refresh_token ?? grant.refresh_token
  return {
    name: new URL(issuer).host,
    isHost: true,
    authorization: `Bearer ${tokens.access_token}`,
    ...(refreshToken && { renew: () => renewBy(refreshToken, pending) }),
  }
}

/** Renews the token. Retries once if the provider does not answer, so that the user need not sign in again. */
const renewBy = (refreshToken: string, pending: PendingSignIn): Promise<ActiveSignIn> => {
  const renew = () => requestToken({ grant_type: 'refresh_token', refresh_token: refreshToken }, pending)
  return renew().catch((error) => {
    if (messageOf(error) !== noAnswer) throw error
    return renew()
  })
}

const redirectUri = () => location.origin + location.pathname

const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

const challengeOf = async (verifier: string) =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

import { reportFailing, reportReached, reportUnreachable } from '#console/app/state/connection.ts'
import { locale } from '#console/app/state/preferences.ts'
import { currentAuthorization, markAccepted } from '#console/app/state/session.ts'
import { store } from '#console/app/state/store.ts'

/** The last challenge of the service, and the authorization that the service refused with it. */
let latestChallenge:
  | { readonly challenge: Challenge; readonly refusedAuthorization: string | undefined }
  | undefined

export const lastChallenge = () => latestChallenge

type Fetch = typeof fetch

const batchPath = '/api/v1/batch'

/** Served even while the service is failing, so an answer proves nothing about its health. */
export const metricsHistoryPath = '/metrics/past'

/** A service that takes longer than this to report its health counts as unreachable. */
const healthTimeoutMs = 5_000

/** The number of changes that this page has made. */
export const ownChangeCount = store(0)

/** Like `fetch`, in the language of the page and as the signed-in user. Also tracks whether the service is reachable. */
export const fetchAsUser: Fetch = async (input, init) => {
  const authorization = currentAuthorization()
  const response = await fetchAs(authorization)(input, init)
  if (response.status === 401) rememberChallenge(response, authorization)
  else markAccepted(authorization)
  const { method = 'GET' } = init ?? {}
  if (response.ok && method !== 'GET') ownChangeCount.set(ownChangeCount.get() + 1)
  return response
}

/** Like `fetchAsUser`, with a given authorization, before anybody has signed in. */
export const fetchAs =
  (authorization: string | undefined): Fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('Accept-Language', locale.get())
    if (authorization !== undefined) headers.set('Authorization', authorization)
    return send(input, { ...init, headers })
  }

/** Asks for the health or the metrics of the service. Gives up after a few seconds. */
export const probe = (path: string, { signal }: { readonly signal?: AbortSignal } = {}) =>
  fetchAsUser(path, {
    signal: AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(healthTimeoutMs)]),
  })

/** The browser sends no credentials of its own, so that it does not open its password dialog. */
const fixedInit = { credentials: 'omit', cache: 'no-store' } as const

/** The time limit for the answer to a change. */
const changeTimeoutMs = 30_000

/** The bytes, of all requests together, that a browser still sends after the page is closed. */
const maxKeepaliveBytes = 60_000
let keepaliveBytes = 0

const send = async (
  input: RequestInfo | URL,
  init: RequestInit & { headers: Headers },
): Promise<Response> => {
  const track = init.headers.get('X-Track') ?? ''
  const signal = signalOf(init)
  const sentAtMs = Date.now()
  const bytes = keepaliveBytesOf(input, init)
  const keepalive = bytes !== undefined && keepaliveBytes + bytes <= maxKeepaliveBytes
  if (keepalive) keepaliveBytes += bytes
  try {
    const response = await fetch(input, { ...init, ...fixedInit, signal, keepalive })
    if (response.status >= 500 && !isFeed(input))
      reportFailing(response.headers.get('X-Track') ?? track, response.status)
    else if (input !== metricsHistoryPath) reportReached(sentAtMs)
    return response
  } catch (error) {
    if (!wasAborted(init.signal)) reportUnreachable(track)
    throw error
  } finally {
    if (keepalive) keepaliveBytes -= bytes
  }
}

/** The size of a deletion or a batch. These complete even if the page is closed meanwhile. Undefined for other requests. */
const keepaliveBytesOf = (input: RequestInfo | URL, { method, body }: RequestInit) =>
  method === 'DELETE' || String(input) === batchPath ? new Blob([String(body ?? '')]).size : undefined

/** A change in flight is not aborted, because it may already have taken effect: only the timeout ends it. Reads and file uploads keep the caller's signal. */
const signalOf = ({ method = 'GET', signal = null, body }: RequestInit) => {
  if (method === 'GET' || body instanceof Blob) return signal
  signal?.throwIfAborted()
  return AbortSignal.timeout(changeTimeoutMs)
}

/** The feed may fail while everything else works. */
const isFeed = (input: RequestInfo | URL) => String(input).startsWith('/api/v1/changes?')

const wasAborted = (signal: AbortSignal | null | undefined) =>
  signal?.aborted === true && (signal.reason as Error | undefined)?.name !== 'TimeoutError'

const rememberChallenge = (response: Response, refusedAuthorization: string | undefined) => {
  const challenge = readChallenge(response.headers.get('WWW-Authenticate'))
  latestChallenge = challenge && { challenge, refusedAuthorization }
}

export interface Challenge {
  readonly scheme: 'basic' | 'bearer'
  /** The address at which the service names the issuer of its tokens (RFC 9728). */
  readonly metadata?: string
}

/** The kind of sign-in that a 401 demands in `WWW-Authenticate`. */
const readChallenge = (field: string | null): Challenge | undefined => {
  if (field === null) return undefined
  if (/^basic\b/i.test(field)) return { scheme: 'basic' }
  if (!/^bearer\b/i.test(field)) return undefined
  const [, metadata] = /resource_metadata="([^"]+)"/.exec(field) ?? []
  return { scheme: 'bearer', ...(metadata && { metadata }) }
}

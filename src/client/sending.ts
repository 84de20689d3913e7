import {
  type Answer,
  type Failure,
  type FailureCode,
  failureFrom,
  failureWithoutAnswer,
  isBlockedPort,
  isDone,
  success,
} from './answer.ts'
import type { Auth, CallOptions, ClientOptions } from './options.ts'
import { randomId } from './random-id.ts'

export interface Request extends CallOptions {
  readonly method: Method
  /** The path below the base URL of the API. */
  readonly path: string
  readonly query?: Query | undefined
  readonly body?: unknown
  /** Sent unchanged, instead of a body. */
  readonly file?: Blob | undefined
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
  /** Set if a repetition after a success would be refused or have another effect, and the service accepts no key. */
  readonly isRepeatUnsafe?: true
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type Scalar = string | number | boolean
export type Query = Readonly<Record<string, Scalar | readonly Scalar[] | undefined>>

/** The time limit of uploads, because files may be large and connections slow. */
const fileTimeoutMs = 600_000

/** The time limit of a request that lets the service wait for a change, besides the seconds of that wait. */
const waitTimeoutMs = 10_000

const leastTimeoutMs = ({ file, query }: Request) => {
  if (file) return fileTimeoutMs
  return query?.wait === undefined ? 0 : Number(query.wait) * 1000 + waitTimeoutMs
}

export const isKeyed = (method: Method) => method === 'POST' || method === 'PATCH'

/** Makes a function that sends the request each time it is called, with the same key and a fresh token. */
export const sender = (base: string, request: Request, options: ClientOptions) => {
  const { path, query, signal, track = randomId(), key = randomId() } = request
  const { timeoutMs = 30_000, fetch: send = fetch } = options
  const url = base + path + queryString(query)
  let sentAuthorization: string | undefined
  const attempt = async <T>(refusal?: Failure): Promise<Answer<T>> => {
    let failureCode: FailureCode = 'unsendable'
    try {
      const init = await fetchInitOf({ ...request, track, key, refusal }, options)
      if (refusal && init.headers.Authorization === sentAuthorization) return refusal
      sentAuthorization = init.headers.Authorization
      if (send === fetch) assertSendable(base, url, init)
      const timeout = AbortSignal.timeout(Math.max(timeoutMs, leastTimeoutMs(request)))
      failureCode = 'unreachable'
      const response = await send(url, {
        ...init,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      })
      return await readAnswer<T>(response, track)
    } catch (error) {
      if (isBlockedPort(error)) failureCode = 'unsendable'
      return failureWithoutAnswer(signal?.aborted ? 'aborted' : failureCode, error, track)
    }
  }
  return async <T>(): Promise<Answer<T>> => {
    const answer = await attempt<T>()
    return !answer.ok && answer.status === 401 && canRenewToken(options.auth) ? attempt(answer) : answer
  }
}

/** Throws for a request that `fetch` can never send. `fetch` itself would throw the same error as for an unreachable service. */
const assertSendable = (base: string, url: string, init: RequestInit) => {
  // The error of `fetch` would quote the password.
  if (/^[^/?#]*\/\/[^/?#]*@/.test(url))
    throw new TypeError('the address contains a user: pass it as `auth` instead')
  if (/[?#]/.test(base)) throw new TypeError('the address contains a query or a fragment: leave it out')
  if (/^https?:(?!\/\/[^/])/i.test(base)) throw new TypeError('the address names no host')
  if (!isRequestable(url)) throw new TypeError(`${url} is not an http or https address`)
  new globalThis.Request(url, init)
}

/** True if `fetch` can send to this URL. In a page, a URL without an origin is relative to the page. */
const isRequestable = (url: string) => {
  try {
    return /^https?:/.test(new globalThis.Request(url).url)
  } catch {
    return false
  }
}

const queryString = (query: Query = {}) => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

const canRenewToken = (auth: Auth | undefined) =>
  auth !== undefined && 'token' in auth && typeof auth.token !== 'string'

type IdentifiedRequest = Request & {
  readonly track: string
  readonly key: string
  readonly refusal: Failure | undefined
}

const fetchInitOf = async (request: IdentifiedRequest, options: ClientOptions) => ({
  method: request.method,
  headers: { ...headersOf(request, options), ...(await authorization(options.auth, request.refusal)) },
  body: request.file ?? (request.body === undefined ? null : JSON.stringify(request.body)),
  credentials: 'omit' as const,
  // A redirect could send the password and the body to another host.
  redirect: 'manual' as const,
})

export const contentTypeOf = (method: Method) =>
  method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'

const headersOf = (
  { method, body, file, ifMatch, ifNoneMatch, track, key, isRepeatUnsafe }: IdentifiedRequest,
  { language }: ClientOptions,
) => {
  const fields: Record<string, string> = { Accept: 'application/json', 'X-Track': track }
  if (language !== undefined) fields['Accept-Language'] = language
  if (body !== undefined) fields['Content-Type'] = contentTypeOf(method)
  if (file) fields['Content-Type'] = file.type || 'application/octet-stream'
  if (ifMatch !== undefined) fields['If-Match'] = ifMatch
  if (ifNoneMatch !== undefined) fields['If-None-Match'] = ifNoneMatch
  if (isKeyed(method) && !isRepeatUnsafe) fields['Idempotency-Key'] = key
  return fields
}

/** The Authorization header for these credentials. */
export const authorization = async (
  auth: Auth | undefined,
  refusal?: Failure,
): Promise<{ readonly Authorization?: string }> => {
  if (auth === undefined) return {}
  if ('token' in auth) {
    const token = typeof auth.token === 'string' ? auth.token : await auth.token(refusal)
    // The error of `fetch` would quote the token.
    if (!/^[\x20-\x7e]*$/.test(token))
      throw new TypeError('the token holds a character that no header can carry')
    return { Authorization: `Bearer ${token}` }
  }
  return { Authorization: basic(auth.signId, auth.password) }
}

export const basic = (signId: string, password: string) => {
  const bytes = new TextEncoder().encode(`${signId}:${password}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

const readAnswer = async <T>(response: Response, track: string): Promise<Answer<T>> => {
  const text = await response.text()
  const body = parseJson(text)
  if (!isDone(response)) return failureFrom(response, body, track)
  const isCutOff = body === undefined && response.status !== 204 && response.status !== 304
  if (isCutOff) throw new Error('The answer was cut off.')
  return success(response, body as T)
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

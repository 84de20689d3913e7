import { type Answer, done, type Failure, refused, unanswered } from './answer.ts'
import { pause, waitBeforeMs } from './waiting.ts'

export interface ClientOptions {
  /** Sign id and password, a token, or what gives a fresh token for each attempt. */
  readonly auth?: Auth
  /** The languages of messages, as Accept-Language has them. */
  readonly language?: string
  /** How often a request is sent again when that may help and cannot do harm; 4 if not set, 0 for never. */
  readonly retries?: number
  /** The longest that one attempt may take; 30 s if not set. */
  readonly timeoutMs?: number
  /** The longest pause between two attempts; a service that asks for more has its refusal handed on. 20 s if not set. */
  readonly longestPauseMs?: number
  /** In place of the global one. */
  readonly fetch?: typeof fetch
}

export type Auth =
  | { readonly signId: string; readonly password: string }
  | { readonly token: string | (() => string | Promise<string>) }

/** What may be said of any single call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** The caller's own name of the request. */
  readonly track?: string
}

export interface Request extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the base, or absolute, as links are. */
  readonly path: string
  readonly query?: Query | undefined
  readonly body?: unknown
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
  /** What was done would be refused the second time. */
  readonly isRefusedAgain?: true
}

type Scalar = string | number | boolean
export type Query = Readonly<Record<string, Scalar | readonly Scalar[] | undefined>>

export type Caller = <T>(request: Request) => Promise<Answer<T>>

/** Sends requests, and sends them again where that may help and cannot do harm. */
export const caller = (base: string, options: ClientOptions): Caller => {
  const { retries = 4, longestPauseMs = 20_000 } = options
  return async <T>(request: Request) => {
    const send = await attempts(base, request, options)
    let isLost = false
    for (let attempt = 0; ; attempt++) {
      const answer = await send<T>()
      if (answer.ok) return answer
      // The attempt whose answer was lost has deleted it.
      if (isLost && request.method === 'DELETE' && answer.status === 404) return gone<T>(answer)
      isLost ||= answer.code === 'unreachable'
      const waitMs = waitBeforeMs(attempt, answer.retryAfterMs)
      if (attempt >= retries || waitMs > longestPauseMs || !mayRepeat(request, answer)) return answer
      await pause(waitMs, request.signal)
    }
  }
}

const gone = <T>({ track }: Failure): Answer<T> => ({
  ok: true,
  status: 204,
  value: undefined as T,
  etag: undefined,
  track,
})

const passing: readonly string[] = [
  'e.xx.fw.6007',
  'e.xx.fw.8005',
  'e.xx.fw.9002',
  'e.xx.fw.9004',
  'e.xx.fw.9005',
  'e.xx.fw.9006',
]

/**
 * A refusal that will pass says that nothing was done. An answer that was lost says nothing: a change of one version
 * that was done is refused the second time, so only the caller can find out, unless a key tells the service.
 */
const mayRepeat = ({ method, ifMatch, isRefusedAgain, signal }: Request, { code, status }: Failure) => {
  if (signal?.aborted) return false
  if (passing.includes(code)) return true
  const isFromBetween = code === 'unintelligible' && [429, 502, 503, 504].includes(status)
  const isKeyed = method === 'POST' || method === 'PATCH'
  const doesNoHarm = isKeyed || method === 'GET' || (ifMatch === undefined && !isRefusedAgain)
  return (code === 'unreachable' || isFromBetween) && doesNoHarm
}

/** One request, as it is sent each time: the same key, a fresh token. */
const attempts = async (base: string, request: Request, options: ClientOptions) => {
  const { method, path, query, body, signal, track = newTrack() } = request
  const { timeoutMs = 30_000, fetch: send = fetch } = options
  const url = (/^https?:/.test(path) ? path : base + path) + search(query)
  const fields = fieldsOf(request, options, track)
  return async <T>(): Promise<Answer<T>> => {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await send(url, {
        method,
        headers: { ...fields, ...(await authorization(options.auth)) },
        body: body === undefined ? null : JSON.stringify(body),
        credentials: 'omit',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      })
      return await read<T>(response)
    } catch (error) {
      return unanswered(signal?.aborted ? 'aborted' : 'unreachable', error, track)
    }
  }
}

const newTrack = () => crypto.randomUUID().replaceAll('-', '')

const search = (query: Query = {}) => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

const types: Readonly<Record<string, string>> = { PATCH: 'application/merge-patch+json' }

const fieldsOf = (
  { method, body, ifMatch, ifNoneMatch }: Request,
  { language }: ClientOptions,
  track: string,
) => {
  const fields: Record<string, string> = { Accept: 'application/json', 'X-Track': track }
  if (language !== undefined) fields['Accept-Language'] = language
  if (body !== undefined) fields['Content-Type'] = types[method] ?? 'application/json'
  if (ifMatch !== undefined) fields['If-Match'] = ifMatch
  if (ifNoneMatch !== undefined) fields['If-None-Match'] = ifNoneMatch
  if (method === 'POST' || method === 'PATCH') fields['Idempotency-Key'] = crypto.randomUUID()
  return fields
}

const authorization = async (auth: Auth | undefined): Promise<Record<string, string>> => {
  if (auth === undefined) return {}
  if ('token' in auth) {
    const token = typeof auth.token === 'string' ? auth.token : await auth.token()
    return { Authorization: `Bearer ${token}` }
  }
  const bytes = new TextEncoder().encode(`${auth.signId}:${auth.password}`)
  return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

const read = async <T>(response: Response): Promise<Answer<T>> => {
  const text = await response.text()
  const body = parsed(text)
  if (response.status === 304 || (response.ok && (text === '' || body !== undefined)))
    return done(response, body as T)
  return refused(response, body)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

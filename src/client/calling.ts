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
  /** The Idempotency-Key of a creation or a patch that may be asked for again after a crash; a new one if not set. */
  readonly key?: string
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
    let isUnclear = false
    for (let attempt = 0; ; attempt++) {
      const answer = await send<T>()
      if (answer.ok) return answer
      // An attempt before this one has deleted it.
      if (isUnclear && request.method === 'DELETE' && answer.status === 404) return gone<T>(answer)
      isUnclear ||= mayBeDone(answer)
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
  replayed: false,
  track,
})

/** Refusals of what was not begun. */
const passing: readonly string[] = [
  'e.xx.fw.6007',
  'e.xx.fw.8005',
  'e.xx.fw.9004',
  'e.xx.fw.9005',
  'e.xx.fw.9006',
]

/** What was asked for is done, or it is not: its answer was lost, between here and there or behind the service. */
const mayBeDone = ({ code, status }: Failure) =>
  code === 'unreachable' ||
  code === 'e.xx.fw.9002' ||
  (code === 'unintelligible' && [502, 503, 504].includes(status))

/**
 * A change of one version that was done is refused the second time, so only the caller can find out whether it was,
 * unless a key tells the service.
 */
const mayRepeat = ({ method, ifMatch, isRefusedAgain, signal }: Request, answer: Failure) => {
  if (signal?.aborted) return false
  if (passing.includes(answer.code)) return true
  if (answer.code === 'unintelligible' && answer.status === 429) return true
  const doesNoHarm = isKeyed(method) || method === 'GET' || (ifMatch === undefined && !isRefusedAgain)
  return mayBeDone(answer) && doesNoHarm
}

const isKeyed = (method: Request['method']) => method === 'POST' || method === 'PATCH'

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
  { method, body, ifMatch, ifNoneMatch, key }: Request,
  { language }: ClientOptions,
  track: string,
) => {
  const fields: Record<string, string> = { Accept: 'application/json', 'X-Track': track }
  if (language !== undefined) fields['Accept-Language'] = language
  if (body !== undefined) fields['Content-Type'] = types[method] ?? 'application/json'
  if (ifMatch !== undefined) fields['If-Match'] = ifMatch
  if (ifNoneMatch !== undefined) fields['If-None-Match'] = ifNoneMatch
  if (isKeyed(method)) fields['Idempotency-Key'] = key ?? crypto.randomUUID()
  return fields
}

/** The header fields that say who asks. */
export const authorization = async (auth: Auth | undefined): Promise<Record<string, string>> => {
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

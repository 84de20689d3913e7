import type { Error as ErrorBody, ErrorDetail } from './messages.ts'

/** The result of a call. Calls never throw: check `ok`, then `code`. */
export type Answer<T> = Done<T> | Failure

export interface Done<T> {
  readonly ok: true
  readonly status: number
  readonly value: T
  /** The version that was read. A change made with this answer applies to that version only. */
  readonly etag: string | undefined
  /** The cursor of the changes after this answer. Every list and every write has one. */
  readonly changeCursor: string | undefined
  /** Whether an earlier request with the same key had already done this. */
  readonly replayed: boolean
  /** The track id of the request: quote it to the operator of the service. */
  readonly track: string
}

/**
 * An error code of the service, or the reason why the service gave no answer: `unsendable` if `fetch` cannot send the
 * request (invalid address, body that cannot be JSON, no token), `unreachable` if no complete answer arrived, `aborted` if
 * the caller's signal fired, `unintelligible` if something other than the service answered.
 */
export type FailureCode = ErrorBody['code'] | 'unsendable' | 'unreachable' | 'aborted' | 'unintelligible'

export interface Failure {
  readonly ok: false
  /** 0 if there was no answer, or only a redirect that the browser hides. */
  readonly status: number
  readonly code: FailureCode
  readonly message: string
  readonly target?: string
  readonly details: readonly ErrorDetail[]
  readonly track: string
  readonly retryAfterMs: number | undefined
  /** The error that was thrown, if any. */
  readonly cause?: unknown
}

/** A failure as an exception, for callers who prefer to catch. */
export class RollcallError extends Error {
  readonly code: FailureCode
  readonly status: number
  readonly track: string
  readonly failure: Failure

  constructor(failure: Failure) {
    const { code, status, message, details, track, cause } = failure
    const words = [message, ...details.map((detail) => detail.message)].join(' ')
    super(`${code}: ${words}${track === '' ? '' : ` (track ${track})`}`, { cause })
    this.name = 'RollcallError'
    this.code = code
    this.status = status
    this.track = track
    this.failure = failure
  }
}

/** Returns a successful answer; throws a RollcallError for a failure. */
export const unwrap = <T>(answer: Answer<T>): Done<T> => {
  if (answer.ok) return answer
  throw new RollcallError(answer)
}

export const success = <T>(response: Response, value: T): Done<T> => ({
  ok: true,
  status: response.status,
  value,
  etag: response.headers.get('ETag') ?? undefined,
  changeCursor: response.headers.get('Change-Cursor') ?? undefined,
  replayed: response.headers.get('Idempotent-Replayed') === 'true',
  track: trackOf(response),
})

/** Whether the answer is from the service and successful; 304 counts. */
export const isDone = (response: Response) =>
  isFromService(response) && (response.ok || response.status === 304)

/** The failure that a response describes. A body that is not in the service's form did not come from the service. */
export const failureFrom = (response: Response, body: unknown, sentTrack: string): Failure => {
  const error = body as Partial<ErrorBody> | undefined
  const isOurs =
    isFromService(response) && typeof error?.code === 'string' && typeof error.message === 'string'
  return {
    ok: false,
    status: response.status,
    code: isOurs && error.code ? error.code : 'unintelligible',
    message: isOurs && error.message ? error.message : foreignMessage(response),
    ...(isOurs && error.target ? { target: error.target } : {}),
    details: isOurs && Array.isArray(error.details) ? error.details : [],
    track: trackOf(response) || sentTrack,
    retryAfterMs: retryAfterMs(response.headers.get('Retry-After')),
  }
}

const foreignMessage = (response: Response) => {
  const { status } = response
  const place = response.headers.get('Location')
  if (isRedirect(response))
    return `A redirect${place === null ? '' : ` to ${place}`}, which is not followed: the service never redirects.`
  return `An answer with status ${status} that is not from the service.`
}

/** A browser hides both the status of a redirect and its target. */
const isRedirect = ({ status, type }: Response) =>
  type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)

export const failureWithoutAnswer = (code: FailureCode, cause: unknown, track: string): Failure => ({
  ok: false,
  status: 0,
  code,
  message: messageFor(cause),
  details: [],
  track,
  retryAfterMs: undefined,
  cause,
})

/** Whether `fetch` refused the port of the address. In a browser, this cannot be seen. */
export const isBlockedPort = (thrown: unknown) => innermostMessage(thrown) === refusedPort

const messageFor = (thrown: unknown) =>
  isBlockedPort(thrown) ? 'fetch refuses the port as unsafe' : innermostMessage(thrown)

/** `fetch` puts the reason in `cause`. If a host name has several addresses, the last one's reason is used. */
const innermostMessage = (thrown: unknown): string => {
  const { message, cause, errors } = Object(thrown) as Partial<AggregateError>
  const inner = cause ?? errors?.at(-1)
  return inner ? innermostMessage(inner) : (message ?? String(thrown))
}

/** The only message of Node's `fetch` about a port of another protocol (https://fetch.spec.whatwg.org/#port-blocking). */
const refusedPort = 'bad port'

/** The service puts X-Track in every answer; a proxy does not. */
const isFromService = (response: Response) => response.headers.has('X-Track')

const trackOf = (response: Response) => response.headers.get('X-Track') ?? ''

const retryAfterMs = (field: string | null): number | undefined => {
  if (field === null) return undefined
  const waitMs = /^\d+$/.test(field) ? Number(field) * 1000 : Date.parse(field) - Date.now()
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}

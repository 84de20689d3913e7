import type { Error as ErrorBody, ErrorDetail } from './messages.ts'

/** The result of a call. Calls never throw: check `ok`, then `code`. */
export type Answer<T> = Done<T> | Failure

export interface Done<T> {
  readonly ok: true
  readonly status: number
  readonly value: T
  /** The version of the item or list. A change that is given this answer applies to that version only. */
  readonly etag: string | undefined
  /** The cursor from which the changes after this answer can be read. The answer to every list and every write has one. */
  readonly changeCursor: string | undefined
  /** True if this is the stored answer to an earlier request with the same key. */
  readonly replayed: boolean
  /** The track id of the request: quote it to the operator of the service. */
  readonly track: string
}

/**
 * An error code of the service, or the reason why there is no answer from it: `unsendable` if `fetch` cannot send the
 * request (invalid address, body that cannot be JSON, no token), `unreachable` if no complete answer arrived, `aborted` if
 * the caller's signal fired, `unintelligible` if something else answered, such as a proxy.
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

/** True for a success or 304 that comes from the service. */
export const isDone = (response: Response) =>
  isFromService(response) && (response.ok || response.status === 304)

/** The failure that a response describes. A body without the fields of our errors did not come from the service. */
export const failureFrom = (response: Response, body: unknown, sentTrack: string): Failure => {
  const error = body as Partial<ErrorBody> | undefined
  const isOurError =
    isFromService(response) && typeof error?.code === 'string' && typeof error.message === 'string'
  return {
    ok: false,
    status: response.status,
    code: isOurError && error.code ? error.code : 'unintelligible',
    message: isOurError && error.message ? error.message : foreignAnswerMessage(response),
    ...(isOurError && error.target ? { target: error.target } : {}),
    details: isOurError && Array.isArray(error.details) ? error.details : [],
    track: trackOf(response) || sentTrack,
    retryAfterMs: retryAfterMs(response.headers.get('Retry-After')),
  }
}

const foreignAnswerMessage = (response: Response) => {
  const { status } = response
  const location = response.headers.get('Location')
  if (isRedirect(response))
    return `A redirect${location === null ? '' : ` to ${location}`}, which is not followed: the service never redirects.`
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

/** True if `fetch` refused the port of the address. Always false in a browser, which does not show this. */
export const isBlockedPort = (thrown: unknown) => innermostMessage(thrown) === blockedPortMessage

const messageFor = (thrown: unknown) =>
  isBlockedPort(thrown) ? 'fetch refuses the port as unsafe' : innermostMessage(thrown)

/** The message of the innermost `cause`, where `fetch` puts the reason. If a host name has several addresses, that of the last one. */
const innermostMessage = (thrown: unknown): string => {
  const { message, cause, errors } = Object(thrown) as Partial<AggregateError>
  const inner = cause ?? errors?.at(-1)
  return inner ? innermostMessage(inner) : (message ?? String(thrown))
}

/** The only message of Node's `fetch` about a port of another protocol (https://fetch.spec.whatwg.org/#port-blocking). */
const blockedPortMessage = 'bad port'

/** The service puts X-Track in every answer; a proxy does not. */
const isFromService = (response: Response) => response.headers.has('X-Track')

const trackOf = (response: Response) => response.headers.get('X-Track') ?? ''

const retryAfterMs = (field: string | null): number | undefined => {
  if (field === null) return undefined
  const waitMs = /^\d+$/.test(field) ? Number(field) * 1000 : Date.parse(field) - Date.now()
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}

import type { Error as ErrorBody, ErrorDetail } from './types.ts'

/** What a call comes to. Nothing is thrown: look at `ok`, then at `code`. */
export type Answer<T> = Done<T> | Failure

export interface Done<T> {
  readonly ok: true
  readonly status: number
  readonly value: T
  /** The version that was read; a change of what was read is made only to this version. */
  readonly etag: string | undefined
  /** Whether an earlier request with the same key had done it. */
  readonly replayed: boolean
  /** The name of the request, to be quoted to those who run the service. */
  readonly track: string
}

/**
 * A code of the service, or why there is no answer of the service at all: what `fetch` cannot send (a wrong address, a
 * body that is no JSON, no token) is `unsendable`, what something else answered is `unintelligible`.
 */
export type FailureCode = ErrorBody['code'] | 'unsendable' | 'unreachable' | 'aborted' | 'unintelligible'

export interface Failure {
  readonly ok: false
  /** 0 where there was no answer, or a redirect that a browser hides. */
  readonly status: number
  readonly code: FailureCode
  readonly message: string
  readonly target?: string
  readonly details: readonly ErrorDetail[]
  readonly track: string
  readonly retryAfterMs: number | undefined
  /** What was thrown, where something was. */
  readonly cause?: unknown
}

/** A failure as an error, for callers who prefer to catch. */
export class RollcallError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    const { code, message, details, track, cause } = failure
    const words = [message, ...details.map((detail) => detail.message)].join(' ')
    super(`${code}: ${words}${track === '' ? '' : ` (track ${track})`}`, { cause })
    this.name = 'RollcallError'
    this.failure = failure
  }
}

/** The answer if it is one, thrown as a RollcallError if not. */
export const unwrap = <T>(answer: Answer<T>): Done<T> => {
  if (answer.ok) return answer
  throw new RollcallError(answer)
}

export const done = <T>(response: Response, value: T): Done<T> => ({
  ok: true,
  status: response.status,
  value,
  etag: response.headers.get('ETag') ?? undefined,
  replayed: response.headers.get('Idempotent-Replayed') === 'true',
  track: trackOf(response),
})

/** Whether the service did what was asked. */
export const isDone = (response: Response) =>
  isOfService(response) && (response.ok || response.status === 304)

/** The refusal that an answer tells of. One that is not in the service's form is not the service's. */
export const refused = (response: Response, body: unknown): Failure => {
  const error = body as Partial<ErrorBody> | undefined
  const isOurs = isOfService(response) && typeof error?.code === 'string' && typeof error.message === 'string'
  return {
    ok: false,
    status: response.status,
    code: isOurs && error.code ? error.code : 'unintelligible',
    message: isOurs && error.message ? error.message : ofAnother(response),
    ...(isOurs && error.target ? { target: error.target } : {}),
    details: isOurs && Array.isArray(error.details) ? error.details : [],
    track: trackOf(response),
    retryAfterMs: retryAfterMs(response.headers.get('Retry-After')),
  }
}

const ofAnother = (response: Response) => {
  const { status } = response
  const place = response.headers.get('Location')
  if (isRedirect(response))
    return `A redirect${place === null ? '' : ` to ${place}`}, which is not followed: the service sends none.`
  return `An answer with status ${status} that is not the service's.`
}

/** A browser hides the status of a redirect, and where it leads. */
const isRedirect = ({ status, type }: Response) =>
  type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)

export const unanswered = (code: FailureCode, cause: unknown, track: string): Failure => ({
  ok: false,
  status: 0,
  code,
  message: wordsBelow(cause),
  details: [],
  track,
  retryAfterMs: undefined,
  cause,
})

/** `fetch` says why in its cause. Of the addresses that a name has, the last one's reason is told. */
const wordsBelow = (thrown: unknown): string => {
  const { message, cause, errors } = Object(thrown) as Partial<AggregateError>
  const below = cause ?? errors?.at(-1)
  return below ? wordsBelow(below) : (message ?? String(thrown))
}

/** The service puts the name of the request into every answer; a proxy does not. */
const isOfService = (response: Response) => response.headers.has('X-Track')

const trackOf = (response: Response) => response.headers.get('X-Track') ?? ''

const retryAfterMs = (field: string | null): number | undefined => {
  if (field === null) return undefined
  const waitMs = /^\d+$/.test(field) ? Number(field) * 1000 : Date.parse(field) - Date.now()
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}

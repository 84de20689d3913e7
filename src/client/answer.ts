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

/** A code of the service, or why there is no answer of the service at all. */
export type FailureCode = ErrorBody['code'] | 'unreachable' | 'aborted' | 'unintelligible'

export interface Failure {
  readonly ok: false
  /** 0 where there was no answer. */
  readonly status: number
  readonly code: FailureCode
  readonly message: string
  readonly target?: string
  readonly details: readonly ErrorDetail[]
  readonly track: string
  readonly retryAfterMs: number | undefined
}

/** A failure as an error, for those who would rather catch. */
export class RollcallError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(`${failure.code}: ${failure.message}`)
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

/** What a refusal says of itself; what speaks no JSON of ours is not the service. */
export const refused = (response: Response, body: unknown): Failure => {
  const error = body as Partial<ErrorBody> | undefined
  const isOurs = typeof error?.code === 'string' && typeof error.message === 'string'
  return {
    ok: false,
    status: response.status,
    code: isOurs && error.code ? error.code : 'unintelligible',
    message: isOurs && error.message ? error.message : `An answer with status ${response.status}.`,
    ...(isOurs && error.target ? { target: error.target } : {}),
    details: isOurs && Array.isArray(error.details) ? error.details : [],
    track: trackOf(response),
    retryAfterMs: retryAfterMs(response.headers.get('Retry-After')),
  }
}

export const unanswered = (code: FailureCode, cause: unknown, track: string): Failure => ({
  ok: false,
  status: 0,
  code,
  message: wordsBelow(cause),
  details: [],
  track,
  retryAfterMs: undefined,
})

/** `fetch` says why in its cause; of the addresses of a name, the last speaks for all. */
const wordsBelow = (thrown: unknown): string => {
  const { message, cause, errors } = Object(thrown) as Partial<AggregateError>
  const below = cause ?? errors?.at(-1)
  return below ? wordsBelow(below) : (message ?? String(thrown))
}

const trackOf = (response: Response) => response.headers.get('X-Track') ?? ''

const retryAfterMs = (field: string | null): number | undefined => {
  if (field === null) return undefined
  const waitMs = /^\d+$/.test(field) ? Number(field) * 1000 : Date.parse(field) - Date.now()
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}

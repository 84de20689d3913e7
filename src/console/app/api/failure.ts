import { type Failure as ClientFailure, type ErrorDetail, RollcallError } from '#client/index.ts'
import { messageOf } from '#core/cause.ts'

/** The failure of a request, or an error that nobody foresaw. */
export type Failure = Omit<ClientFailure, 'code'> & { readonly code: ClientFailure['code'] | 'unforeseen' }

export const failureOf = (error: unknown): Failure => {
  if (error instanceof RollcallError) return error.failure
  return {
    ok: false,
    status: 0,
    code: 'unforeseen',
    message: messageOf(error),
    details: [],
    track: '',
    retryAfterMs: undefined,
  }
}

/** The kind of failure that the user is told. */
export const kindOf = ({ code, status }: Failure): 'unreachable' | 'broken' | 'refused' | 'unforeseen' => {
  if (code === 'unreachable' || code === 'unforeseen') return code
  if (code === 'unsendable') return 'unforeseen'
  return status >= 500 || code === 'unintelligible' ? 'broken' : 'refused'
}

/** True if the message to the user is the same for both. */
export const isSameFailure = (one: Failure, other: Failure) => messageKeyOf(one) === messageKeyOf(other)

const messageKeyOf = (failure: Failure) => {
  const { code, status, message, details } = failure
  if (kindOf(failure) === 'unreachable') return 'unreachable'
  return JSON.stringify([code, status, message, details.map((detail) => detail.message)])
}

/** True if the same request may succeed later. */
const isTemporary = ({ code, status }: Failure) => status === 408 || status === 429 || code === 'e.xx.fw.8005'

/** True if the change may have been made: its answer was lost, or the service itself does not know. */
export const isOutcomeUnknown = ({ code, status }: Failure) =>
  code === 'unreachable' || code === 'e.xx.fw.9002' || (code === 'unintelligible' && status >= 500)

/** True if the page itself aborted the request: then there is nothing to report. */
export const isAborted = ({ code }: Failure) => code === 'aborted'

/** True if the service refused the content of the request, which the user must then change. */
export const refusesContent = (failure: Failure) =>
  kindOf(failure) === 'refused' && failure.status !== 403 && !isTemporary(failure) && !isAborted(failure)

/** True if another request changed the record first. A conflict with another record (a taken unique value) does not count. */
export const isConflict = ({ code, details }: Failure) =>
  code === 'e.xx.fw.8003' ||
  (code === 'e.xx.fw.8002' && !details.some(({ code }) => conflictsWithOthers.includes(code)))

const conflictsWithOthers: readonly string[] = ['Unique', 'Reference']

/** True if somebody else deleted the record first. */
export const isGone = ({ code, status }: Failure) => status === 404 && code !== 'unintelligible'

export const isSignIdInUse = ({ code }: Failure) => code === 'e.xx.yy.8001'

/** The fault of one field. */
export type Fault = Pick<ErrorDetail, 'code' | 'message' | 'byRule'>

/** The faults by field. The service reports a sign id in use without a target; it is shown at its field all the same. */
export const faultsByTarget = ({ code, message, details }: Failure): ReadonlyMap<string, Fault> => {
  if (code === 'e.xx.yy.8001') return new Map([['credential.signId', { code, message }]])
  return new Map(details.flatMap((detail) => (detail.target ? [[detail.target, detail] as const] : [])))
}

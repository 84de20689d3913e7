import { type ErrorDetail, RollcallError, type Failure as Unanswered } from '#client/index.ts'
import { messageOf } from '#core/cause.ts'

/** Why something did not happen. */
export type Failure = Omit<Unanswered, 'code'> & { readonly code: Unanswered['code'] | 'unforeseen' }

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

/** Whose doing it is, as far as the person is concerned. */
export const kindOf = ({ code, status }: Failure): 'unreachable' | 'broken' | 'refused' | 'unforeseen' => {
  if (code === 'unreachable' || code === 'unforeseen') return code
  if (code === 'unsendable') return 'unforeseen'
  return status >= 500 || code === 'unintelligible' ? 'broken' : 'refused'
}

/** Says nothing about what was sent: the same request may succeed later. */
export const isPassing = ({ code, status }: Failure) =>
  status === 408 || status === 429 || code === 'e.xx.fw.8005'

/** One gave up oneself: nothing to tell. */
export const isAborted = ({ code }: Failure) => code === 'aborted'

/** Somebody else was faster. */
export const isConflict = ({ code }: Failure) => code === 'e.xx.fw.8002' || code === 'e.xx.fw.8003'

/** What was wrong with one field. */
export type Fault = Pick<ErrorDetail, 'code' | 'message'>

/** What the service says of fields, by the field; some is refused as a whole for the sake of one. */
export const faultsByTarget = ({ code, message, details }: Failure): ReadonlyMap<string, Fault> => {
  if (code === 'e.xx.yy.8001') return new Map([['credential.signId', { code, message }]])
  return new Map(details.flatMap((detail) => (detail.target ? [[detail.target, detail] as const] : [])))
}

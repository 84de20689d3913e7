import type { Answer, Failure } from './answer.ts'
import { backoffMs, defaultRetries, pause } from './backoff.ts'
import type { ClientOptions } from './options.ts'
import { isKeyed, type Request, sender } from './sending.ts'

export type Call = <T>(request: Request) => Promise<Answer<T>>

/** The base URL of the API, for an address with or without the API prefix. */
export const baseOf = (address: string) => `${address.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`

/** Makes a function that sends requests, and retries them if a retry may help and can do no harm. */
export const retryingCall = (base: string, options: ClientOptions): Call => {
  const { retries = defaultRetries, longestPauseMs: maxPauseMs = 20_000, onPause } = options
  return async <T>(request: Request) => {
    const send = sender(base, request, options)
    let unknownOutcome: Failure | undefined
    for (let attempt = 0; ; attempt++) {
      const answer = await send<T>()
      if (answer.ok) return answer
      if (unknownOutcome && isAlreadyDeleted(request, answer)) return alreadyDeleted<T>(answer)
      if (request.method !== 'GET' && mayHaveTakenEffect(answer)) unknownOutcome = answer
      const { retryAfterMs: requestedMs } = answer
      const isTooLong = requestedMs !== undefined && requestedMs > maxPauseMs
      if (attempt >= retries || isTooLong || !mayRepeat(request, answer))
        return unknownOutcome && wasNeverStarted(answer) ? unknownOutcome : answer
      const waitMs = backoffMs(attempt, { requestedMs, maxMs: maxPauseMs, chance: Math.random() })
      const pauseEnd = pause(waitMs, request.signal)
      onPause?.({ waitMs, failure: answer, over: pauseEnd })
      await pauseEnd
    }
  }
}

/** True if the item to delete does not exist. Then an earlier attempt with an unknown outcome has deleted it. */
const isAlreadyDeleted = ({ method }: Request, { status, code }: Failure) =>
  method === 'DELETE' && status === 404 && code !== 'unintelligible'

const alreadyDeleted = <T>({ track }: Failure): Answer<T> => ({
  ok: true,
  status: 204,
  value: undefined as T,
  etag: undefined,
  changeCursor: undefined,
  replayed: false,
  track,
})

/** The codes of temporary refusals, which the service gives before it begins any work. */
const temporaryCodes: readonly string[] = [
  'e.xx.fw.6007',
  'e.xx.fw.8005',
  'e.xx.fw.9004',
  'e.xx.fw.9005',
  'e.xx.fw.9006',
]

/** True if the attempt failed before the service handled it. Such a failure says nothing about the effect of earlier attempts. */
const wasNeverStarted = ({ code, status }: Failure) =>
  ['unsendable', 'unintelligible'].includes(code) ||
  temporaryCodes.includes(code) ||
  [401, 403, 429].includes(status)

/** True if the outcome is unknown, because the answer was lost on its way, or the service lost the answer of its database. */
const mayHaveTakenEffect = ({ code, status }: Failure) =>
  code === 'unreachable' ||
  code === 'e.xx.fw.9002' ||
  (code === 'unintelligible' && [502, 503, 504].includes(status))

/**
 * True if the request may be sent again. A change of one version is refused once it has taken effect, so it is repeated only
 * with a key; otherwise the caller must find out whether it took effect.
 */
const mayRepeat = ({ method, ifMatch, isRepeatUnsafe, signal }: Request, answer: Failure) => {
  if (signal?.aborted) return false
  if (temporaryCodes.includes(answer.code)) return true
  if (answer.code === 'unintelligible' && answer.status === 429) return true
  const isRepeatHarmless = !isRepeatUnsafe && (isKeyed(method) || method === 'GET' || ifMatch === undefined)
  return mayHaveTakenEffect(answer) && isRepeatHarmless
}

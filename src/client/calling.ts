import type { Answer, Failure } from './answer.ts'
import type { ClientOptions } from './options.ts'
import { isKeyed, type Request, sender } from './sending.ts'
import { pause, usualRetries, waitBeforeMs } from './waiting.ts'

export type Caller = <T>(request: Request) => Promise<Answer<T>>

/** Where the paths of the API begin, at an address with its prefix or without. */
export const baseOf = (address: string) => `${address.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`

/** Sends requests, and sends them again where that may help and cannot do harm. */
export const caller = (base: string, options: ClientOptions): Caller => {
  const { retries = usualRetries, longestPauseMs: longestMs = 20_000 } = options
  return async <T>(request: Request) => {
    const send = sender(base, request, options)
    let unclear: Failure | undefined
    for (let attempt = 0; ; attempt++) {
      const answer = await send<T>()
      if (answer.ok) return answer
      if (unclear && isGone(request, answer)) return gone<T>(answer)
      if (request.method !== 'GET' && mayBeDone(answer)) unclear = answer
      const { retryAfterMs: askedMs } = answer
      const isTooLong = askedMs !== undefined && askedMs > longestMs
      if (attempt >= retries || isTooLong || !mayRepeat(request, answer))
        return unclear && isNotBegun(answer) ? unclear : answer
      await pause(waitBeforeMs(attempt, { askedMs, longestMs, chance: Math.random() }), request.signal)
    }
  }
}

/** Nothing is there: an earlier attempt has deleted it. */
const isGone = ({ method }: Request, { status, code }: Failure) =>
  method === 'DELETE' && status === 404 && code !== 'unintelligible'

const gone = <T>({ track }: Failure): Answer<T> => ({
  ok: true,
  status: 204,
  value: undefined as T,
  etag: undefined,
  replayed: false,
  track,
})

/** Refusals before anything is begun, which pass. */
const passing: readonly string[] = [
  'e.xx.fw.6007',
  'e.xx.fw.8005',
  'e.xx.fw.9004',
  'e.xx.fw.9005',
  'e.xx.fw.9006',
]

/**
 * This attempt was stopped before the service looked at what is asked for: whether an earlier attempt, whose answer was
 * lost, has done it is still open.
 */
const isNotBegun = ({ code, status }: Failure) =>
  code === 'unsendable' || passing.includes(code) || [401, 403, 429].includes(status)

/** Nobody knows whether it is done: the answer was lost on its way, or the service itself had none from its storage. */
const mayBeDone = ({ code, status }: Failure) =>
  code === 'unreachable' ||
  code === 'e.xx.fw.9002' ||
  (code === 'unintelligible' && [502, 503, 504].includes(status))

/**
 * A change of one version that was done is refused the second time. So only a request with a key is repeated; of any
 * other, the caller has to find out whether it was done.
 */
const mayRepeat = ({ method, ifMatch, isRefusedAgain, signal }: Request, answer: Failure) => {
  if (signal?.aborted) return false
  if (passing.includes(answer.code)) return true
  if (answer.code === 'unintelligible' && answer.status === 429) return true
  const doesNoHarm = isKeyed(method) || method === 'GET' || (ifMatch === undefined && !isRefusedAgain)
  return mayBeDone(answer) && doesNoHarm
}

import { createHmac } from 'node:crypto'
import { type Detail, Problem, parametersInvalid } from '#core/problem.ts'
import { type Exchange, header, refuseRepeatedField } from '#http/wire/exchange.ts'
import type { HeaderList } from '#http/wire/headers.ts'
import { withoutSuffix } from '#http/wire/target.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { Actor } from './change.ts'

/** The answer to the first request with a key. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: HeaderList
  readonly body: string
  /** The body for repetitions, if the first answer shows a record that the same request erased. */
  readonly keptBody?: string
}

/** Stores answers, in the same database as the writes that they report on. */
export interface AnswerStore {
  find(keyId: string): Promise<{ readonly fingerprint: string; readonly answer: StoredAnswer } | undefined>

  /**
   * Runs `work` and stores its answer in the same transaction as its writes. If another request has meanwhile stored an answer
   * to this key, nothing is written, and the result is `taken`.
   */
  store(claim: Claim, work: () => Promise<StoredAnswer>): Promise<StoredAnswer | 'taken'>
}

export interface Claim {
  readonly keyId: string
  readonly fingerprint: string
  readonly actor: Actor
  readonly subject: Subject
}

/** The id of the record in the path, which the answer may show even if nothing was changed, or `severalSubjects`. */
type Subject = string | undefined

/** The subject of an answer that may show several records. */
export const severalSubjects = '*'

export interface KeyedRequest extends Pick<AdmittedRequest, 'exchange' | 'actor'> {
  readonly body: Buffer
  readonly subject: Subject
  /** Throws if the caller may no longer see a stored answer. */
  readonly recheckAccess: (kept: StoredAnswer) => Promise<unknown>
  /** True if the answer contains a secret. If so, only its status is stored. */
  readonly showsSecret?: boolean | undefined
}

export type Idempotency = ReturnType<typeof idempotency>

const keyShape = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

export const idempotencyKey = (exchange: Exchange): string | undefined => {
  const key = header(exchange, 'idempotency-key')
  if (key === undefined) return undefined
  const target = 'Idempotency-Key'
  refuseRepeatedField(exchange.head, target)
  if (keyShape.test(key)) return key
  const hasSize = key.length >= 1 && key.length <= 255
  throw parametersInvalid([
    hasSize ? { code: 'Pattern', target } : { code: 'Size', target, args: { min: 1, max: 255 } },
  ])
}

/** Repeats the first answer for each Idempotency-Key. Fingerprints of requests are keyed hashes, because bodies contain passwords. */
export const idempotency = (answers: AnswerStore, secret: Uint8Array) => {
  const running = new Set<string>()
  const digest = (...parts: readonly (string | Buffer)[]) => {
    const hmac = createHmac('sha256', secret)
    for (const part of parts) hmac.update(`${part.length}:`).update(part)
    return hmac.digest('base64url')
  }

  const storeOrFind = async (
    claim: Claim,
    isSecret: boolean | undefined,
    work: () => Promise<StoredAnswer>,
  ) => {
    const { keyId } = claim
    if (running.has(keyId)) throw keyInUse()
    running.add(keyId)
    try {
      let answer: StoredAnswer | undefined
      const stored = await answers.store(claim, async () => {
        answer = await work()
        if (isSecret) return { ...answer, headers: [], body: '' }
        return { ...answer, body: answer.keptBody ?? answer.body }
      })
      if (stored !== 'taken') return answer ?? stored
      const otherAnswer = await answers.find(keyId)
      if (!otherAnswer) throw keyInUse()
      return otherAnswer
    } finally {
      running.delete(keyId)
    }
  }

  const keyIdOf = ({ exchange }: KeyedRequest) => digest(...keyPartsOf(exchange))

  return {
    /** Runs `work` only once for each key: a repeated request gets the stored answer. If no key was sent, `request` is undefined. */
    async answer(
      request: KeyedRequest | undefined,
      work: () => Promise<StoredAnswer>,
    ): Promise<StoredAnswer> {
      if (!request) return work()
      const { exchange, actor, body, subject, recheckAccess, showsSecret } = request
      const keyId = keyIdOf(request)
      const fingerprint = digest(exchange.target.query, header(exchange, 'content-type') ?? '', body)
      // Looks for a stored answer first, so that a repetition is answered even while another repetition runs.
      const claim = { keyId, fingerprint, actor, subject }
      const stored = (await answers.find(keyId)) ?? (await storeOrFind(claim, showsSecret, work))
      if ('status' in stored) return stored
      if (stored.fingerprint !== fingerprint) throw new Problem('keyReused')
      await recheckAccess(stored.answer)
      if (showsSecret) throw new Problem('secretNotKept')
      return { ...stored.answer, headers: [...stored.answer.headers, 'Idempotent-Replayed', 'true'] }
    },
    /** True if an answer to this request is stored. */
    isAnswered: async (request: KeyedRequest) => (await answers.find(keyIdOf(request))) !== undefined,
  }
}

const keyPartsOf = (exchange: Exchange) => [
  exchange.principal?.name ?? '',
  exchange.method,
  withoutSuffix(exchange.target.path, exchange.suffix),
  idempotencyKey(exchange) ?? '',
]

/** The refusal of a repetition whose first request is still running. */
export const keyInUse = (cause?: unknown) =>
  new Problem('keyInUse', { cause, details: [keyDetail], headers: { 'Retry-After': '1' } })

const keyDetail: Detail = { code: 'KeyInUse', target: 'Idempotency-Key' }

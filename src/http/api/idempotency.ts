import { createHmac } from 'node:crypto'
import { type Detail, Problem, parametersInvalid } from '#core/problem.ts'
import { type Exchange, header, refuseRepeatedField } from '#http/wire/exchange.ts'
import type { HeaderList } from '#http/wire/headers.ts'
import { withoutSuffix } from '#http/wire/target.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { Actor } from './change.ts'

/** The first answer to a key. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: HeaderList
  readonly body: string
}

/** Keeps answers in the same database as the writes that they report on. */
export interface AnswerKeeper {
  find(scope: string): Promise<{ readonly fingerprint: string; readonly answer: KeptAnswer } | undefined>

  /**
   * Runs `work` and keeps its answer in the same transaction as all its writes. If another request has meanwhile kept an
   * answer under this scope, nothing that `work` does is written, and the result is `taken`.
   */
  keep(claim: Claim, work: () => Promise<KeptAnswer>): Promise<KeptAnswer | 'taken'>
}

export interface Claim {
  readonly scope: string
  readonly fingerprint: string
  readonly actor: Actor
}

export interface KeyedRequest extends Pick<AdmittedRequest, 'exchange' | 'actor'> {
  readonly body: Buffer
  /** Throws if the caller may no longer see a kept answer. */
  readonly recheckAccess: (kept: KeptAnswer) => Promise<unknown>
  /** Whether the answer holds a secret. Then only the fact that the request was done is kept. */
  readonly showsSecret?: boolean | undefined
}

export type Idempotency = ReturnType<typeof idempotency>

const keyShape = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

export const idempotencyKey = (exchange: Exchange): string | undefined => {
  const key = header(exchange, 'idempotency-key')
  if (key === undefined) return undefined
  refuseRepeatedField(exchange.head, 'Idempotency-Key')
  if (keyShape.test(key)) return key
  const target = 'Idempotency-Key'
  const hasSize = key.length >= 1 && key.length <= 255
  throw parametersInvalid([
    hasSize ? { code: 'Pattern', target } : { code: 'Size', target, args: { min: 1, max: 255 } },
  ])
}

/** Fingerprints are keyed, because bodies contain passwords. */
export const idempotency = (keeper: AnswerKeeper, secret: Uint8Array) => {
  const running = new Set<string>()
  const digest = (...parts: readonly (string | Buffer)[]) => {
    const hmac = createHmac('sha256', secret)
    for (const part of parts) hmac.update(`${part.length}:`).update(part)
    return hmac.digest('base64url')
  }

  const keepOrFind = async (claim: Claim, isSecret: boolean | undefined, work: () => Promise<KeptAnswer>) => {
    const { scope } = claim
    if (running.has(scope)) throw keyInUse()
    running.add(scope)
    try {
      let answer: KeptAnswer | undefined
      const kept = await keeper.keep(claim, async () => {
        answer = await work()
        return isSecret ? { ...answer, headers: [], body: '' } : answer
      })
      if (kept !== 'taken') return answer ?? kept
      const other = await keeper.find(scope)
      if (!other) throw keyInUse()
      return other
    } finally {
      running.delete(scope)
    }
  }

  const scopedBy = ({ exchange }: KeyedRequest) => digest(...scopeOf(exchange))

  return {
    /** Runs `work` only once for each key: a repeated request gets the kept answer. Without a request, just runs it. */
    async answer(request: KeyedRequest | undefined, work: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
      if (!request) return work()
      const { exchange, actor, body, recheckAccess, showsSecret } = request
      const scope = scopedBy(request)
      const fingerprint = digest(exchange.target.query, header(exchange, 'content-type') ?? '', body)
      // Looks for a kept answer first, so that a repetition is answered even while another one runs.
      const claim = { scope, fingerprint, actor }
      const known = (await keeper.find(scope)) ?? (await keepOrFind(claim, showsSecret, work))
      if ('status' in known) return known
      if (known.fingerprint !== fingerprint) throw new Problem('keyReused')
      await recheckAccess(known.answer)
      if (showsSecret) throw new Problem('secretNotKept')
      return { ...known.answer, headers: [...known.answer.headers, 'Idempotent-Replayed', 'true'] }
    },
    /** Whether an answer to this request is kept. */
    isDone: async (request: KeyedRequest) => (await keeper.find(scopedBy(request))) !== undefined,
  }
}

const scopeOf = (exchange: Exchange) => [
  exchange.principal?.name ?? '',
  exchange.method,
  withoutSuffix(exchange.target.path, exchange.suffix),
  idempotencyKey(exchange) ?? '',
]

/** The first request with the key is still running. */
export const keyInUse = (cause?: unknown) =>
  new Problem('keyInUse', { cause, details: [answeredLater], headers: { 'Retry-After': '1' } })

const answeredLater: Detail = { code: 'KeyInUse', target: 'Idempotency-Key' }

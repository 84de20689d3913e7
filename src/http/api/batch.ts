import { bodyInvalid, type Detail, notOneOf, Problem } from '#core/problem.ts'
import { parseBody, type RawBody, readBody } from '#http/message/body/body.ts'
import { checkListConditions } from '#http/message/conditional.ts'
import { chooseMediaType } from '#http/message/representation/accept.ts'
import { mediaTypes } from '#http/message/representation/format.ts'
import type { Answer } from '#http/wire/answer.ts'
import { asProblem, statusOf } from '#http/wire/errors.ts'
import { type Exchange, header, isBodyComplete } from '#http/wire/exchange.ts'
import { fieldPairs } from '#http/wire/headers.ts'
import { parseTarget } from '#http/wire/target.ts'
import { type AdmittedRequest, readmit } from './admitted-request.ts'
import { type BatchBody, batchHeaders, batchSchema } from './batch-body.ts'
import type { Actor } from './change.ts'
import { idempotencyKey, type KeptAnswer } from './idempotency.ts'
import type { Mutation } from './mutation.ts'
import { withLogPosition } from './mutation-answer.ts'
import { contentTypes, validatorFields } from './presentation.ts'
import type { Principal } from './principal.ts'
import { readParameters } from './query.ts'
import type { Rules } from './rules.ts'

/** How many operations are prepared at the same time. Their passwords are hashed side by side. */
const preparedAtOnce = 4

/** The most values in one batch. Each operation also has the limits of a single request. */
const maxValues = 20_000

export interface Operation {
  /** Finds the route, and admits the caller. */
  find(
    exchange: Exchange,
    principal: Principal,
    actor: Actor,
  ): { readonly mutation: Mutation; readonly request: AdmittedRequest }
}

/** The path leads to a change that only a single request can make. */
export const outsideBatch: Detail = { code: 'Pattern', wording: 'Pattern.batch', target: 'path' }

const outsideApi: Detail = { code: 'Pattern', wording: 'Pattern.prefix', target: 'path' }

/** Answers batches. All operations run in one unit, in order, each as if it had come alone (decision 0046). */
export const batchAnswers = (rules: Rules, find: Operation['find']) => {
  const read = rules.readerOf(batchSchema)
  const body = { types: ['application/json' as const], limitBytes: rules.bodyLimitBytes }
  return async (admitted: AdmittedRequest): Promise<Answer> => {
    const { exchange } = admitted
    requireJson(admitted)
    const checkHead = () => void readParameters(admitted, {})
    const hasKey = idempotencyKey(exchange) !== undefined
    const hasWaited = !(await isBodyComplete(exchange))
    const raw = await readBody(exchange, body, checkHead)
    const request = hasWaited ? await readmit(admitted) : admitted
    checkHead()
    await checkListConditions(exchange, rules.state)
    const { atomic, operations } = (await read(
      parseBody(raw, batchSchema, maxValues),
    )) as unknown as BatchBody
    const refusals = await countOperations(rules, exchange, { atomic, operations })
    const batch = { atomic, operations, refusals, find }
    const recheckAccess = (kept: KeptAnswer) => recheckOperations(rules, request, batch, kept)
    const keyedRequest = hasKey
      ? { exchange, actor: request.actor, body: raw.bytes, recheckAccess }
      : undefined
    return withLogPosition(
      rules,
      request,
      await rules.idempotency.answer(keyedRequest, () => perform(rules, request, batch)),
    )
  }
}

const requireJson = ({ format, exchange }: AdmittedRequest) => {
  const offered = [mediaTypes.json]
  if (format === 'json' && chooseMediaType(header(exchange, 'accept'), offered)) return
  throw new Problem('notAcceptable', { details: [notOneOf('Accept', offered)] })
}

/** Each operation counts as a request. The request of the batch has already counted for the first operation. */
const countOperations = async ({ limit }: Rules, exchange: Exchange, { atomic, operations }: BatchBody) => {
  const refusals = new Map<number, unknown>()
  for (const at of operations.keys())
    if (limit && at > 0)
      try {
        await limit.count(exchange)
      } catch (error) {
        if (atomic) throw error
        refusals.set(at, error)
      }
  return refusals
}

interface Batch extends BatchBody, Operation {
  /** The refusals of operations that were never begun. */
  readonly refusals: ReadonlyMap<number, unknown>
}

/** Shows a kept answer only to a caller who still has the right to every operation in it. */
const recheckOperations = async (
  rules: Rules,
  request: AdmittedRequest,
  batch: Batch,
  { body }: KeptAnswer,
) => {
  const { principal } = await request.admitAgain()
  const { responses } = JSON.parse(body) as { readonly responses: readonly { readonly status: number }[] }
  for (const [at, operation] of batch.operations.entries())
    if ((responses[at]?.status ?? 0) < 300)
      batch.find(exchangeOf(rules, request.exchange, operation), principal, request.actor)
}

const perform = async (rules: Rules, request: AdmittedRequest, batch: Batch): Promise<KeptAnswer> => {
  const begun = await beginAll(rules, request, batch)
  const answers = await rules.unit(async (unit) => {
    // The caller may have lost its right while the first write waited for its transaction.
    unit.beforeFirstWrite(async () => void (await request.admitAgain()))
    const done: KeptAnswer[] = []
    for (const [at, work] of begun.entries())
      done.push(
        await rules.unit(work).catch((error) => answerFailure(rules, request.exchange, { at, error, batch })),
      )
    return done
  })
  return {
    status: 200,
    headers: [...validatorFields(undefined), ...contentTypes.json],
    body: `{"responses":[${answers.map(toJson).join(',')}]}`,
  }
}

/** Begins a few operations at a time. The refusal of one is thrown when its turn comes. */
const beginAll = async (rules: Rules, request: AdmittedRequest, { operations, refusals, find }: Batch) => {
  const begun: (() => Promise<KeptAnswer>)[] = []
  const left = operations.entries()
  const beginOne = async (at: number, operation: BatchBody['operations'][number]) => {
    if (refusals.has(at)) throw refusals.get(at)
    const found = find(
      exchangeOf(rules, request.exchange, operation),
      request.admission.principal,
      request.actor,
    )
    return found.mutation.begin(found.request, rawOf(operation))
  }
  const beginSome = async () => {
    for (const [at, operation] of left)
      begun[at] = await beginOne(at, operation).catch((error: unknown) => () => Promise.reject(error))
  }
  await Promise.all(Array.from({ length: preparedAtOnce }, beginSome))
  return begun
}

const exchangeOf = (
  { prefix }: Rules,
  exchange: Exchange,
  { method, path, headers = {} }: BatchBody['operations'][number],
): Exchange => {
  const target = { ...parseTarget(path), authority: exchange.target.authority }
  if (!target.path.startsWith(`${prefix}/`)) throw bodyInvalid([{ ...outsideApi, args: { prefix } }])
  const given = Object.entries(headers)
  const unknown = given.find(([name]) => !isKnown(name))
  if (unknown)
    throw new Problem('bodyUnreadable', {
      details: [{ code: 'UnknownField', target: `headers.${unknown[0]}` }],
    })
  const head = {
    headers: Object.fromEntries([
      ...given.map(([name, value]) => [name.toLowerCase(), value]),
      ['content-type', typeOf(method)],
    ]),
    rawHeaders: given.flat(),
  }
  return { ...exchange, head, method, target, suffix: undefined, recordPath: undefined }
}

const isKnown = (name: string) => batchHeaders.some((known) => known.toLowerCase() === name.toLowerCase())

const typeOf = (method: string) => (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json')

const rawOf = ({ method, body }: BatchBody['operations'][number]): RawBody => ({
  type: typeOf(method),
  bytes: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
})

interface Failure {
  readonly at: number
  readonly error: unknown
  readonly batch: Batch
}

/** The answer to an operation that failed. The whole batch fails if the fault is ours or the batch is atomic. */
const answerFailure = ({ refuse }: Rules, exchange: Exchange, { at, error, batch }: Failure): KeptAnswer => {
  const problem = asProblem(error)
  if (statusOf[problem.kind] >= statusOf.system) throw error
  if (batch.atomic) throw operationFailed(at, problem)
  const { status, headers, body } = refuse(problem, {
    track: exchange.track,
    path: batch.operations[at]?.path ?? '',
    accept: mediaTypes.json,
    acceptLanguage: header(exchange, 'accept-language'),
  })
  return { status, headers, body: String(body) }
}

/** Keeps the cause, which tells the database whether to try the same batch again. */
const operationFailed = (at: number, { resolved: { details, ...root }, cause }: Problem) => {
  const place = `operations.${at}`
  const within = details.map((one) => ({ ...one, target: one.target ? `${place}.${one.target}` : place }))
  return new Problem('operationFailed', { details: [{ ...root, target: place }, ...within], cause })
}

/** The header fields of one operation. All others belong to the batch. */
const toJson = ({ status, headers, body }: KeptAnswer) => {
  const fields = fieldPairs(headers).filter(([name]) => !batchFields.includes(name))
  return `{"status":${status},"headers":${JSON.stringify(Object.fromEntries(fields))},"body":${body || 'null'}}`
}

const batchFields = ['Cache-Control', 'Vary', 'Content-Type', 'Content-Language']

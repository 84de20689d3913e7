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
import type { ApiContext } from './api-context.ts'
import { type BatchBody, type BatchOperation, batchHeaders, batchSchema } from './batch-body.ts'
import type { Actor } from './change.ts'
import { idempotencyKey, type StoredAnswer, severalSubjects } from './idempotency.ts'
import type { Mutation } from './mutation.ts'
import { withChangeCursor } from './mutation-answer.ts'
import { contentTypes, validatorFields } from './presentation.ts'
import type { Principal } from './principal.ts'
import { readParameters } from './query.ts'

/** The most operations that are prepared at the same time. Preparing one may hash a password, which takes long. */
const maxPreparations = 4

/** The most values in one batch. Each operation also has the limits of a single request. */
const maxValues = 20_000

/** Finds the route of an operation, and admits the caller. */
export type FindOperation = (
  exchange: Exchange,
  principal: Principal,
  actor: Actor,
) => { readonly mutation: Mutation; readonly request: AdmittedRequest }

/** The operation is not available in a batch. It must be a request of its own. */
export const notInBatch: Detail = { code: 'Pattern', wording: 'Pattern.batch', target: 'path' }

const notInApi: Detail = { code: 'Pattern', wording: 'Pattern.prefix', target: 'path' }

/** Answers batches. All operations run in one transaction, in order, each like a request of its own (decision 0046). */
export const batchAnswers = (context: ApiContext, findOperation: FindOperation) => {
  const readBatch = context.bodyReaderFor(batchSchema)
  const bodyRules = { types: ['application/json' as const], limitBytes: context.bodyLimitBytes }
  return async (admitted: AdmittedRequest): Promise<Answer> => {
    const { exchange } = admitted
    requireJson(admitted)
    const checkHead = () => void readParameters(admitted, {})
    const hasKey = idempotencyKey(exchange) !== undefined
    const hasWaited = !(await isBodyComplete(exchange))
    const raw = await readBody(exchange, bodyRules, checkHead)
    const request = hasWaited ? await readmit(admitted) : admitted
    checkHead()
    await checkListConditions(exchange, context.commitToken)
    const { atomic, operations } = (await readBatch(
      parseBody(raw, batchSchema, maxValues),
    )) as unknown as BatchBody
    const refusals = await countOperations(context, exchange, { atomic, operations })
    const batch = { atomic, operations, refusals, findOperation }
    const recheckAccess = (kept: StoredAnswer) => recheckOperations(context, request, batch, kept)
    const keyedRequest = hasKey
      ? { exchange, actor: request.actor, body: raw.bytes, subject: severalSubjects, recheckAccess }
      : undefined
    return withChangeCursor(
      context,
      request,
      await context.idempotency.answer(keyedRequest, () => performAll(context, request, batch)),
    )
  }
}

const requireJson = ({ format, exchange }: AdmittedRequest) => {
  const offered = [mediaTypes.json]
  if (format === 'json' && chooseMediaType(header(exchange, 'accept'), offered)) return
  throw new Problem('notAcceptable', { details: [notOneOf('Accept', offered)] })
}

/** Counts each operation as a request. The first operation has been counted as the request of the batch. */
const countOperations = async (
  { rateLimit }: ApiContext,
  exchange: Exchange,
  { atomic, operations }: BatchBody,
) => {
  const refusals = new Map<number, unknown>()
  for (const at of operations.keys())
    if (rateLimit && at > 0)
      try {
        await rateLimit.count(exchange)
      } catch (error) {
        if (atomic) throw error
        refusals.set(at, error)
      }
  return refusals
}

interface Batch extends BatchBody {
  readonly findOperation: FindOperation
  /** The refusals of operations beyond the rate limit, by index. */
  readonly refusals: ReadonlyMap<number, unknown>
}

/** Throws unless the caller still has the right to every operation that succeeded in a stored answer. */
const recheckOperations = async (
  context: ApiContext,
  request: AdmittedRequest,
  batch: Batch,
  { body }: StoredAnswer,
) => {
  const { principal } = await request.admitAgain()
  const { responses } = JSON.parse(body) as { readonly responses: readonly { readonly status: number }[] }
  for (const [at, operation] of batch.operations.entries())
    if ((responses[at]?.status ?? 0) < 300)
      batch.findOperation(exchangeOf(context, request.exchange, operation), principal, request.actor)
}

const performAll = async (
  context: ApiContext,
  request: AdmittedRequest,
  batch: Batch,
): Promise<StoredAnswer> => {
  const prepared = await prepareAll(context, request, batch)
  const answers = await context.unit(async (unit) => {
    // The caller may have lost its right while the first write waited for its transaction.
    unit.beforeFirstWrite(async () => void (await request.admitAgain()))
    const operationAnswers: StoredAnswer[] = []
    for (const [at, work] of prepared.entries())
      operationAnswers.push(
        await context
          .unit(work)
          .catch((error) => answerFailure(context, request.exchange, { at, error, batch })),
      )
    return operationAnswers
  })
  const bodyOf = (all: readonly StoredAnswer[]) => `{"responses":[${all.map(toJson).join(',')}]}`
  const erased = request.actor.pendingChanges.filter(({ isErased }) => isErased)
  const showsErased = ({ body }: StoredAnswer) => erased.some(({ subject }) => body.includes(subject))
  return {
    status: 200,
    headers: [...validatorFields(undefined), ...contentTypes.json],
    body: bodyOf(answers),
    keptBody: bodyOf(answers.map((one) => (showsErased(one) ? { ...one, body: '' } : one))),
  }
}

/** Prepares a few operations at a time. Returns a function for each; that of a refused operation throws the refusal. */
const prepareAll = async (
  context: ApiContext,
  request: AdmittedRequest,
  { operations, refusals, findOperation }: Batch,
) => {
  const prepared: (() => Promise<StoredAnswer>)[] = []
  const remaining = operations.entries()
  const prepareOne = async (at: number, operation: BatchOperation) => {
    if (refusals.has(at)) throw refusals.get(at)
    const admittedOperation = findOperation(
      exchangeOf(context, request.exchange, operation),
      request.admission.principal,
      request.actor,
    )
    return admittedOperation.mutation.prepareInBatch(admittedOperation.request, rawBodyOf(operation))
  }
  const prepareRemaining = async () => {
    for (const [at, operation] of remaining)
      prepared[at] = await prepareOne(at, operation).catch((error: unknown) => () => Promise.reject(error))
  }
  await Promise.all(Array.from({ length: maxPreparations }, prepareRemaining))
  return prepared
}

const exchangeOf = (
  { prefix }: ApiContext,
  exchange: Exchange,
  { method, path, headers = {} }: BatchOperation,
): Exchange => {
  const target = { ...parseTarget(path), authority: exchange.target.authority }
  if (!target.path.startsWith(`${prefix}/`)) throw bodyInvalid([{ ...notInApi, args: { prefix } }])
  const fields = Object.entries(headers)
  const unknown = fields.find(([name]) => !isBatchHeader(name))
  if (unknown)
    throw new Problem('bodyUnreadable', {
      details: [{ code: 'UnknownField', target: `headers.${unknown[0]}` }],
    })
  const head = {
    headers: Object.fromEntries([
      ...fields.map(([name, value]) => [name.toLowerCase(), value]),
      ['content-type', contentTypeOf(method)],
    ]),
    rawHeaders: fields.flat(),
  }
  return { ...exchange, head, method, target, suffix: undefined, changedPath: undefined }
}

const isBatchHeader = (name: string) =>
  batchHeaders.some((known) => known.toLowerCase() === name.toLowerCase())

const contentTypeOf = (method: string) =>
  method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'

const rawBodyOf = ({ method, body }: BatchOperation): RawBody => ({
  type: contentTypeOf(method),
  bytes: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
})

interface OperationFailure {
  readonly at: number
  readonly error: unknown
  readonly batch: Batch
}

/** The answer to an operation that failed. Throws, so that the whole batch fails, if the service is at fault or the batch is atomic. */
const answerFailure = (
  { answerProblem }: ApiContext,
  exchange: Exchange,
  { at, error, batch }: OperationFailure,
): StoredAnswer => {
  const problem = asProblem(error)
  if (statusOf[problem.kind] >= statusOf.system) throw error
  if (batch.atomic) throw operationFailed(at, problem)
  const { status, headers, body } = answerProblem(problem, {
    track: exchange.track,
    path: batch.operations[at]?.path ?? '',
    accept: mediaTypes.json,
    acceptLanguage: header(exchange, 'accept-language'),
  })
  return { status, headers, body: String(body) }
}

/** The refusal of an atomic batch. Its cause tells the database whether to retry the batch. */
const operationFailed = (at: number, { withCodes: { details, ...root }, cause }: Problem) => {
  const operation = `operations.${at}`
  const within = details.map((detail) => ({
    ...detail,
    target: detail.target ? `${operation}.${detail.target}` : operation,
  }))
  return new Problem('operationFailed', { details: [{ ...root, target: operation }, ...within], cause })
}

/** The answer to one operation as JSON, without the header fields that the batch has. */
const toJson = ({ status, headers, body }: StoredAnswer) => {
  const fields = fieldPairs(headers).filter(([name]) => !batchFields.includes(name))
  return `{"status":${status},"headers":${JSON.stringify(Object.fromEntries(fields))},"body":${body || 'null'}}`
}

const batchFields = ['Cache-Control', 'Vary', 'Content-Type', 'Content-Language']

import { conflict, type Detail, Problem } from '#core/problem.ts'
import { type BodyType, type RawBody, readBody, waitForUnusedBody } from '#http/message/body/body.ts'
import {
  checkListConditions,
  isConditional,
  requireIfMatch,
  requireVersion,
} from '#http/message/conditional.ts'
import type { Answer } from '#http/wire/answer.ts'
import { type Exchange, isBodyComplete } from '#http/wire/exchange.ts'
import { withoutSuffix } from '#http/wire/target.ts'
import { type AdmittedRequest, readmit } from './admitted-request.ts'
import { idempotencyKey, type KeptAnswer, type KeyedRequest } from './idempotency.ts'
import { mutationAnswer, withLogPosition } from './mutation-answer.ts'
import { mutationBodies } from './mutation-body.ts'
import { presentationParameters, presenter } from './presentation.ts'
import { readParameters } from './query.ts'
import { readItem } from './reading.ts'
import { filledIn } from './router.ts'
import { changesItem, hasLastModified, mergesPatch, type Route, type Versioned } from './routes.ts'
import type { Rules } from './rules.ts'

const documents: readonly BodyType[] = ['application/json', 'application/xml']
const patches: readonly BodyType[] = ['application/merge-patch+json']

export type Mutation = ReturnType<typeof mutation>

/**
 * How a route answers requests that change something. Preconditions are checked before the body is validated. `itemRoute` is the
 * route that reads the item.
 */
export const mutation = (route: Route, itemRoute: Route | undefined, rules: Rules) => {
  const parts = partsOf(route, itemRoute, rules)
  const body = { types: route.method === 'PATCH' ? patches : documents, limitBytes: rules.bodyLimitBytes }
  const path = route.changes ?? route.path
  const mayBeKeyed = route.method === 'POST' || route.method === 'PATCH'
  const isKeyed = ({ exchange }: AdmittedRequest) => mayBeKeyed && idempotencyKey(exchange) !== undefined
  return {
    async answer(admitted: AdmittedRequest) {
      const { exchange, params } = admitted
      if (path.includes(':')) exchange.recordPath = filledIn(path, params)
      const hasKey = isKeyed(admitted)
      const hasWaited = route.body ? !(await isBodyComplete(exchange)) : await waitForUnusedBody(exchange)
      const raw =
        route.body && (await readBody(exchange, body, () => readParameters(admitted, parts.parameters)))
      const request = hasWaited ? await readmit(admitted) : admitted
      try {
        const keyedRequest = hasKey ? toKeyedRequest(request, route, raw?.bytes) : undefined
        const answered = await rules.idempotency.answer(keyedRequest, () => perform(parts, request, raw))
        exchange.recordPath ??= createdPath(path, answered)
        return withLogPosition(rules, request, answered)
      } catch (error) {
        throw withConflictDetails(error, request)
      }
    },

    /** Prepares the operation. Returns a function that performs it in the transaction of the batch, once the operations before it are done. */
    async begin(request: AdmittedRequest, sent: RawBody) {
      const raw = route.body && sent
      const keyedRequest = isKeyed(request) ? toKeyedRequest(request, route, sent.bytes) : undefined
      const isDone = keyedRequest && (await rules.idempotency.isDone(keyedRequest))
      const ahead = isDone || !raw || !route.prepare ? undefined : prepareBody(parts, request, raw)
      await ahead?.catch(() => undefined)
      return async () => {
        const admitted = await readmit(request)
        return rules.idempotency
          .answer(keyedRequest, () => perform(parts, admitted, raw, { ahead }))
          .catch((error) => {
            throw withConflictDetails(error, request)
          })
      }
    },
  }
}

const toKeyedRequest = (
  { exchange, actor, admitAgain }: AdmittedRequest,
  { showsSecret }: Route,
  body: Buffer = Buffer.alloc(0),
): KeyedRequest => ({ exchange, actor, body, recheckAccess: admitAgain, showsSecret })

/** The path of the record that was added to a list. Read from Location, because a kept answer tells nothing else. */
const createdPath = (path: string, { headers }: Answer) => {
  const location = headers[headers.indexOf('Location') + 1] ?? ''
  return headers.includes('Location') ? path + location.slice(location.lastIndexOf('/')) : undefined
}

type MutationParts = ReturnType<typeof partsOf>

const partsOf = (route: Route, itemRoute: Route | undefined, rules: Rules) => ({
  ...{ route, itemRoute, rules },
  hasLastModified: itemRoute !== undefined && hasLastModified(itemRoute),
  parameters: presentationParameters(route),
  present: presenter(route.shows, rules.writer),
  inOrder: oneByOne(),
  bodyOf: mutationBodies(route, itemRoute, rules),
})

/**
 * If the caller states no condition and another request changes the item first, the change is a conflict. A patch depends on no
 * version, so it is applied again to the changed item.
 */
const perform = async (
  parts: MutationParts,
  request: AdmittedRequest,
  raw: RawBody | undefined,
  inBatch?: InBatch,
): Promise<KeptAnswer> => {
  const apply = () => performOnce(parts, request, raw, inBatch?.ahead)
  if (isConditional(request.exchange, parts.hasLastModified)) return apply()
  try {
    if (!mergesPatch(parts.route)) return await apply()
    // A batch that waited here would hold the only writer of the database, and so block the request that it waits for.
    if (inBatch) return await untilApplied(apply)
    return await parts.inOrder(itemPath(request), async (waitedMs) => {
      if (waitedMs > maxQueueMs) throw conflict()
      const admitted = waitedMs > 0 ? await readmit(request) : request
      return untilApplied(() => performOnce(parts, admitted, raw))
    })
  } catch (error) {
    throw isConcurrentChange(error) ? conflict() : error
  }
}

interface InBatch {
  /** The result of the preparation before the unit began. */
  readonly ahead: ReturnType<typeof prepareBody> | undefined
}

/**
 * How long a patch may queue: longer than the lock timeout. Without this limit, each patch queued for a locked item would wait
 * for the timeout, one after another.
 */
const maxQueueMs = 5_000

/** Runs work with the same key one after another, in order of arrival. Work with another key does not wait. */
const oneByOne = () => {
  const last = new Map<string, Promise<void>>()
  return async <T>(key: string, work: (waitedMs: number) => Promise<T>): Promise<T> => {
    const since = performance.now()
    const before = last.get(key)
    const { promise: done, resolve } = Promise.withResolvers<void>()
    last.set(key, done)
    await before
    try {
      return await work(before === undefined ? 0 : performance.now() - since)
    } finally {
      if (last.get(key) === done) last.delete(key)
      resolve()
    }
  }
}

/** How often a patch is tried. Patches of one item run one after another, so only other kinds of change and other instances interfere. */
const maxTries = 20

const untilApplied = async (apply: () => Promise<KeptAnswer>): Promise<KeptAnswer> => {
  for (let tries = 1; tries < maxTries; tries++) {
    try {
      return await apply()
    } catch (error) {
      if (!isConcurrentChange(error)) throw error
    }
  }
  return apply()
}

/** Whether another request changed the item after it was read: without a condition from the caller, this error has no other cause. */
const isConcurrentChange = (error: unknown) => error instanceof Problem && error.kind === 'preconditionFailed'

const performOnce = async (
  parts: MutationParts,
  request: AdmittedRequest,
  raw: RawBody | undefined,
  ahead?: InBatch['ahead'],
): Promise<KeptAnswer> => {
  const parameters = readParameters(request, parts.parameters)
  const presentation = parts.present(request, parameters)
  const found = await requiredItem(parts, request)
  const sent = raw && (await (ahead ?? prepareBody(parts, request, raw, found)))
  if (found && sent?.isEmptyPatch) return mutationAnswer(parts, request, { item: found, presentation })
  const hasWaited = !ahead && parts.route.prepare !== undefined
  const { params, admission } = hasWaited ? await readmit(request) : request
  const { principal } = admission
  const erases = parameters.erase === true
  const { body, prepared } = (sent ?? {}) as { body: never; prepared: never }
  const item = await parts.route.handle({
    params,
    principal,
    actor: request.actor,
    expected: found?.version,
    body,
    prepared,
    erases,
    base: request.base,
  })
  return item
    ? mutationAnswer(parts, request, { item, presentation })
    : { status: 204, headers: [], body: '' }
}

const prepareBody = async (
  { route, bodyOf }: MutationParts,
  request: AdmittedRequest,
  raw: RawBody,
  found?: Versioned,
) => {
  const sent = await bodyOf(request, raw, found)
  const { params, admission } = request
  return { ...sent, prepared: await route.prepare?.(sent.body as never, { params, ...admission }) }
}

/** Adds a target to a conflict that has none: the items in the path, or the list. */
const withConflictDetails = (error: unknown, { params, exchange }: AdmittedRequest) => {
  if (!(error instanceof Problem && error.kind === 'conflict')) return error
  if (error.resolved.details.length > 0) return error
  const items = Object.entries(params).map(
    ([target, id]): Detail => ({ code: 'ChangedMeanwhile', target, args: { id } }),
  )
  return conflict(error.cause, items.length === 0 ? [listOf(exchange)] : items)
}

const itemPath = ({ exchange }: AdmittedRequest) => withoutSuffix(exchange.target.path, exchange.suffix)

const listOf = ({ target, suffix }: Exchange): Detail => ({
  code: 'ChangedMeanwhile',
  wording: 'ChangedMeanwhile.list',
  target: withoutSuffix(target.path, suffix).replace(/^.*\//, ''),
})

/** Reads the item if the request names a version or is a patch. The version that was read must still be current at the write. */
const requiredItem = async (
  { route, itemRoute, hasLastModified, rules }: MutationParts,
  request: AdmittedRequest,
) => {
  const { exchange } = request
  if (!changesItem(route)) {
    await checkListConditions(exchange, rules.state)
    return undefined
  }
  if (!itemRoute) return undefined
  const mustNameVersion = rules.requiresVersion && route.requiresVersion === true
  if (!mustNameVersion && !isConditional(exchange, hasLastModified) && !mergesPatch(route)) return undefined
  const item = await readItem(itemRoute, request)
  if (mustNameVersion) requireIfMatch(exchange)
  requireVersion(request, rules.itemState(item, itemRoute.shows.full))
  return item
}

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
import type { ApiContext } from './api-context.ts'
import { idempotencyKey, type KeyedRequest, type StoredAnswer } from './idempotency.ts'
import { mutationAnswer, withChangeCursor } from './mutation-answer.ts'
import { mutationBodies } from './mutation-body.ts'
import { presentationParameters, presenter } from './presentation.ts'
import { readParameters } from './query.ts'
import { readItem } from './reading.ts'
import { fillInParams } from './router.ts'
import { changesItem, hasLastModified, mergesPatch, type Route, type Versioned } from './routes.ts'

const documentTypes: readonly BodyType[] = ['application/json', 'application/xml']
const patchTypes: readonly BodyType[] = ['application/merge-patch+json']

export type Mutation = ReturnType<typeof mutation>

/** Answers requests of a route that changes something. Preconditions are checked before the body. `itemRoute` shows the item. */
export const mutation = (route: Route, itemRoute: Route | undefined, context: ApiContext) => {
  const setup = routeSetup(route, itemRoute, context)
  const types = route.method === 'PATCH' ? patchTypes : documentTypes
  const bodyRules = { types, limitBytes: context.bodyLimitBytes }
  const path = route.changedPath ?? route.path
  const canBeKeyed = route.method === 'POST' || route.method === 'PATCH'
  const isKeyed = ({ exchange }: AdmittedRequest) => canBeKeyed && idempotencyKey(exchange) !== undefined
  return {
    async answer(admitted: AdmittedRequest) {
      const { exchange, params } = admitted
      if (path.includes(':')) exchange.changedPath = fillInParams(path, params)
      const hasKey = isKeyed(admitted)
      const hasWaited = route.body ? !(await isBodyComplete(exchange)) : await waitForUnusedBody(exchange)
      const raw =
        route.body && (await readBody(exchange, bodyRules, () => readParameters(admitted, setup.parameters)))
      const request = hasWaited ? await readmit(admitted) : admitted
      try {
        const keyedRequest = hasKey ? toKeyedRequest(request, route, raw?.bytes) : undefined
        const answer = await context.idempotency.answer(keyedRequest, () => perform(setup, request, raw))
        exchange.changedPath ??= createdPath(path, answer)
        return withChangeCursor(context, request, answer)
      } catch (error) {
        throw withConflictDetails(error, request)
      }
    },

    /** Prepares the operation. Returns a function that performs it in the transaction of the batch, once the operations before it are done. */
    async prepareInBatch(request: AdmittedRequest, sent: RawBody) {
      const raw = route.body && sent
      const keyedRequest = isKeyed(request) ? toKeyedRequest(request, route, sent.bytes) : undefined
      const isDone = keyedRequest && (await context.idempotency.isAnswered(keyedRequest))
      const preparedBody = isDone || !raw || !route.prepare ? undefined : prepareBody(setup, request, raw)
      await preparedBody?.catch(() => undefined)
      return async () => {
        const admitted = await readmit(request)
        return context.idempotency
          .answer(keyedRequest, () => perform(setup, admitted, raw, { preparedBody }))
          .catch((error) => {
            throw withConflictDetails(error, request)
          })
      }
    },
  }
}

const toKeyedRequest = (
  { exchange, params, actor, admitAgain: recheckAccess }: AdmittedRequest,
  { showsSecret }: Route,
  body: Buffer = Buffer.alloc(0),
): KeyedRequest => ({ exchange, actor, body, subject: Object.values(params)[0], recheckAccess, showsSecret })

/** The path of the record that was added to a list. It is read from Location, because a stored answer has nothing else. */
const createdPath = (path: string, { headers }: Answer) => {
  if (!headers.includes('Location')) return undefined
  const location = headers[headers.indexOf('Location') + 1] ?? ''
  return path + location.slice(location.lastIndexOf('/'))
}

type RouteSetup = ReturnType<typeof routeSetup>

const routeSetup = (route: Route, itemRoute: Route | undefined, context: ApiContext) => ({
  route,
  itemRoute,
  context,
  hasLastModified: itemRoute !== undefined && hasLastModified(itemRoute),
  parameters: presentationParameters(route),
  present: presenter(route.shows, context.writer),
  queuePerItem: keyedQueue(),
  bodyOf: mutationBodies(route, itemRoute, context),
})

/**
 * Makes the change. If another request changes the item first and the caller stated no condition, the change is refused as a
 * conflict. But a patch without a condition does not depend on a version, so it is applied again to the changed item.
 */
const perform = async (
  setup: RouteSetup,
  request: AdmittedRequest,
  raw: RawBody | undefined,
  inBatch?: BatchPreparation,
): Promise<StoredAnswer> => {
  const apply = () => performOnce(setup, request, raw, inBatch?.preparedBody)
  if (isConditional(request.exchange, setup.hasLastModified)) return apply()
  try {
    if (!mergesPatch(setup.route)) return await apply()
    // A batch must not wait for an earlier patch: it holds the only writer of the database, which that patch needs.
    if (inBatch) return await retryWhileChanging(apply)
    return await setup.queuePerItem(itemPath(request), async (waitedMs) => {
      if (waitedMs > maxQueueMs) throw conflict()
      const admitted = waitedMs > 0 ? await readmit(request) : request
      return retryWhileChanging(() => performOnce(setup, admitted, raw))
    })
  } catch (error) {
    throw isConcurrentChange(error) ? conflict() : error
  }
}

interface BatchPreparation {
  /** The body, prepared before the transaction began. */
  readonly preparedBody: ReturnType<typeof prepareBody> | undefined
}

/**
 * The longest time that a patch may queue; longer than the lock timeout. Without this limit, the patches that queue for a locked
 * item would wait for that timeout one after another.
 */
const maxQueueMs = 5_000

/** Runs work with the same key one after another, in order of arrival. Work with another key does not wait. */
const keyedQueue = () => {
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

/** The attempts to apply a patch. Patches of one item queue, so only other kinds of change and other instances interfere. */
const maxTries = 20

const retryWhileChanging = async (apply: () => Promise<StoredAnswer>): Promise<StoredAnswer> => {
  for (let tries = 1; tries < maxTries; tries++) {
    try {
      return await apply()
    } catch (error) {
      if (!isConcurrentChange(error)) throw error
    }
  }
  return apply()
}

/** True if another request changed the item after it was read: nothing else causes this error if the caller stated no condition. */
const isConcurrentChange = (error: unknown) => error instanceof Problem && error.kind === 'preconditionFailed'

const performOnce = async (
  setup: RouteSetup,
  request: AdmittedRequest,
  raw: RawBody | undefined,
  preparedBody?: BatchPreparation['preparedBody'],
): Promise<StoredAnswer> => {
  const parameters = readParameters(request, setup.parameters)
  const presentation = setup.present(request, parameters)
  const found = await readConditionalItem(setup, request)
  const sent = raw && (await (preparedBody ?? prepareBody(setup, request, raw, found)))
  if (found && sent?.isEmptyPatch) return mutationAnswer(setup, request, { item: found, presentation })
  const hasWaited = !preparedBody && setup.route.prepare !== undefined
  const { params, admission } = hasWaited ? await readmit(request) : request
  const { principal } = admission
  const isErasure = parameters.erase === true
  const { body, prepared } = (sent ?? {}) as { body: never; prepared: never }
  const item = await setup.route.handle({
    params,
    principal,
    actor: request.actor,
    expectedVersion: found?.version,
    body,
    prepared,
    isErasure,
    serviceUrl: request.serviceUrl,
  })
  return item
    ? mutationAnswer(setup, request, { item, presentation })
    : { status: 204, headers: [], body: '' }
}

const prepareBody = async (
  { route, bodyOf }: RouteSetup,
  request: AdmittedRequest,
  raw: RawBody,
  found?: Versioned,
) => {
  const sent = await bodyOf(request, raw, found)
  const { params, admission } = request
  return { ...sent, prepared: await route.prepare?.(sent.body as never, { params, ...admission }) }
}

/** Adds details to a conflict that has none: the items in the path, or the list. */
const withConflictDetails = (error: unknown, { params, exchange }: AdmittedRequest) => {
  if (!(error instanceof Problem && error.kind === 'conflict')) return error
  if (error.withCodes.details.length > 0) return error
  const items = Object.entries(params).map(
    ([target, id]): Detail => ({ code: 'ChangedMeanwhile', target, args: { id } }),
  )
  return conflict(error.cause, items.length === 0 ? [changedList(exchange)] : items)
}

const itemPath = ({ exchange }: AdmittedRequest) => withoutSuffix(exchange.target.path, exchange.suffix)

const changedList = ({ target, suffix }: Exchange): Detail => ({
  code: 'ChangedMeanwhile',
  wording: 'ChangedMeanwhile.list',
  target: withoutSuffix(target.path, suffix).replace(/^.*\//, ''),
})

/** Reads the item if the request states a condition or is a patch. The write then requires that this version is still current. */
const readConditionalItem = async (
  { route, itemRoute, hasLastModified, context }: RouteSetup,
  request: AdmittedRequest,
) => {
  const { exchange } = request
  if (!changesItem(route)) {
    await checkListConditions(exchange, context.commitToken)
    return undefined
  }
  if (!itemRoute) return undefined
  const mustNameVersion = context.requiresVersion && route.requiresVersion === true
  if (!mustNameVersion && !isConditional(exchange, hasLastModified) && !mergesPatch(route)) return undefined
  const item = await readItem(itemRoute, request)
  if (mustNameVersion) requireIfMatch(exchange)
  requireVersion(request, context.tagStateOf(item, itemRoute.shows.full))
  return item
}

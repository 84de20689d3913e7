import { conflict, type Detail, Problem } from '#core/problem.ts'
import { type BodyType, type RawBody, readBody, waitedForEnd } from '#http/message/body/body.ts'
import { isConditional, requireIfMatch, requireListMatch, requireVersion } from '#http/message/conditional.ts'
import type { Answer } from '#http/wire/answer.ts'
import { type Exchange, hasArrived } from '#http/wire/exchange.ts'
import { withoutSuffix } from '#http/wire/target.ts'
import { idempotencyKey, type KeptAnswer, type KeyedRequest } from './idempotency.ts'
import { mutationAnswer, withCursor } from './mutation-answer.ts'
import { mutationBodies } from './mutation-body.ts'
import { readParameters } from './query.ts'
import { readItem } from './reading.ts'
import { filledIn } from './router.ts'
import { changesItem, hasLastModified, isMerged, type Route, type Versioned } from './routes.ts'
import type { Rules } from './rules.ts'
import { showingParameters, showings } from './showing.ts'
import { admittedAgain, type Visit } from './visit.ts'

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
  const isKeyed = ({ exchange }: Visit) => mayBeKeyed && idempotencyKey(exchange) !== undefined
  return {
    async answer(admitted: Visit) {
      const { exchange, params } = admitted
      if (path.includes(':')) exchange.record = filledIn(path, params)
      const hasKey = isKeyed(admitted)
      const isLate = route.body ? !(await hasArrived(exchange)) : await waitedForEnd(exchange)
      const raw =
        route.body && (await readBody(exchange, body, () => readParameters(admitted, parts.parameters)))
      const visit = isLate ? await admittedAgain(admitted) : admitted
      try {
        const request = hasKey ? keyed(visit, route, raw?.bytes) : undefined
        const answered = await rules.idempotency.answer(request, () => perform(parts, visit, raw))
        exchange.record ??= recordAt(path, answered)
        return withCursor(rules, visit, answered)
      } catch (error) {
        throw withConflictDetails(error, visit)
      }
    },

    /** Prepares the operation and returns a function that performs it in the unit of the batch, after the operations before it. */
    async begin(visit: Visit, sent: RawBody) {
      const raw = route.body && sent
      const request = isKeyed(visit) ? keyed(visit, route, sent.bytes) : undefined
      const isDone = request && (await rules.idempotency.isDone(request))
      const ahead = isDone || !raw || !route.prepare ? undefined : preparedOf(parts, visit, raw)
      await ahead?.catch(() => undefined)
      return async () => {
        const admitted = await admittedAgain(visit)
        return rules.idempotency
          .answer(request, () => perform(parts, admitted, raw, { ahead }))
          .catch((error) => {
            throw withConflictDetails(error, visit)
          })
      }
    },
  }
}

const keyed = (
  { exchange, actor, admitAgain }: Visit,
  { isSecret }: Route,
  body: Buffer = Buffer.alloc(0),
): KeyedRequest => ({ exchange, actor, body, judge: admitAgain, isSecret })

/** The path of the record that was added to a list. The answer may be a kept one. */
const recordAt = (path: string, { headers }: Answer) => {
  const location = headers[headers.indexOf('Location') + 1] ?? ''
  return headers.includes('Location') ? path + location.slice(location.lastIndexOf('/')) : undefined
}

type MutationParts = ReturnType<typeof partsOf>

const partsOf = (route: Route, itemRoute: Route | undefined, rules: Rules) => ({
  ...{ route, itemRoute, rules },
  hasLastModified: itemRoute !== undefined && hasLastModified(itemRoute),
  parameters: showingParameters(route),
  showing: showings(route.shows, rules.writer),
  inOrder: inOrder(),
  bodyOf: mutationBodies(route, itemRoute, rules),
})

/**
 * Without a condition, a change is refused if another request changed the item first. A patch depends on no version, so it is
 * applied again to the new item.
 */
const perform = async (
  parts: MutationParts,
  visit: Visit,
  raw: RawBody | undefined,
  inBatch?: InBatch,
): Promise<KeptAnswer> => {
  const apply = () => performOnce(parts, visit, raw, inBatch?.ahead)
  if (isConditional(visit.exchange, parts.hasLastModified)) return apply()
  try {
    if (!isMerged(parts.route)) return await apply()
    // A batch that waited here would hold the writer, and so block the request that it waits for.
    if (inBatch) return await untilApplied(apply)
    return await parts.inOrder(itemPath(visit), async (waitedMs) => {
      if (waitedMs > maxInOrderMs) throw conflict()
      const admitted = waitedMs > 0 ? await admittedAgain(visit) : visit
      return untilApplied(() => performOnce(parts, admitted, raw))
    })
  } catch (error) {
    throw isRace(error) ? conflict() : error
  }
}

interface InBatch {
  /** The result of the preparation before the unit began. */
  readonly ahead: ReturnType<typeof preparedOf> | undefined
}

/** Longer than a lock is waited for. Otherwise each patch of a locked item would wait for the lock in its turn. */
const maxInOrderMs = 5_000

/** Runs work with the same key one after another, in order of arrival. Work with another key does not wait. */
const inOrder = () => {
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

/** Patches of one item run one after another, so a patch races only with other kinds of change and with other instances. */
const maxTries = 20

const untilApplied = async (apply: () => Promise<KeptAnswer>): Promise<KeptAnswer> => {
  for (let tries = 1; tries < maxTries; tries++) {
    try {
      return await apply()
    } catch (error) {
      if (!isRace(error)) throw error
    }
  }
  return apply()
}

/** Without a condition from the caller, the only cause is that another request changed the item after it was read. */
const isRace = (error: unknown) => error instanceof Problem && error.kind === 'preconditionFailed'

const performOnce = async (
  parts: MutationParts,
  visit: Visit,
  raw: RawBody | undefined,
  ahead?: InBatch['ahead'],
): Promise<KeptAnswer> => {
  const parameters = readParameters(visit, parts.parameters)
  const showing = parts.showing(visit, parameters)
  const found = await requiredItem(parts, visit)
  const sent = raw && (await (ahead ?? preparedOf(parts, visit, raw, found)))
  if (found && sent?.isEmptyPatch) return mutationAnswer(parts, visit, { item: found, showing })
  const isLate = !ahead && parts.route.prepare !== undefined
  const { params, admission } = isLate ? await admittedAgain(visit) : visit
  const { principal } = admission
  const erases = parameters.erase === true
  const { body, prepared } = (sent ?? {}) as { body: never; prepared: never }
  const item = await parts.route.handle({
    params,
    principal,
    actor: visit.actor,
    expected: found?.version,
    body,
    prepared,
    erases,
    base: visit.base,
  })
  return item ? mutationAnswer(parts, visit, { item, showing }) : { status: 204, headers: [], body: '' }
}

const preparedOf = async (
  { route, bodyOf }: MutationParts,
  visit: Visit,
  raw: RawBody,
  found?: Versioned,
) => {
  const sent = await bodyOf(visit, raw, found)
  const { params, admission } = visit
  return { ...sent, prepared: await route.prepare?.(sent.body as never, { params, ...admission }) }
}

/** Adds a target to a conflict that has none: the items in the path, or the list. */
const withConflictDetails = (error: unknown, { params, exchange }: Visit) => {
  if (!(error instanceof Problem && error.kind === 'conflict')) return error
  if (error.resolved.details.length > 0) return error
  const items = Object.entries(params).map(
    ([target, id]): Detail => ({ code: 'ChangedMeanwhile', target, args: { id } }),
  )
  return conflict(error.cause, items.length === 0 ? [listOf(exchange)] : items)
}

const itemPath = ({ exchange }: Visit) => withoutSuffix(exchange.target.path, exchange.suffix)

const listOf = ({ target, suffix }: Exchange): Detail => ({
  code: 'ChangedMeanwhile',
  wording: 'ChangedMeanwhile.list',
  target: withoutSuffix(target.path, suffix).replace(/^.*\//, ''),
})

/** Reads the item if the request names a version or is a patch. This version must still be current at the write. */
const requiredItem = async ({ route, itemRoute, hasLastModified, rules }: MutationParts, visit: Visit) => {
  const { exchange } = visit
  if (!changesItem(route)) {
    await requireListMatch(exchange, rules.state)
    return undefined
  }
  if (!itemRoute) return undefined
  const insists = rules.requiresVersion && route.requiresVersion === true
  if (!insists && !isConditional(exchange, hasLastModified) && !isMerged(route)) return undefined
  const item = await readItem(itemRoute, visit)
  if (insists) requireIfMatch(exchange)
  requireVersion(visit, rules.itemState(item, itemRoute.shows.full))
  return item
}

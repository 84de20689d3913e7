import { bodyInvalid, notFound, Problem } from '#core/problem.ts'
import { chooseFormat, refuseUnknownSuffix } from '#http/message/representation/format.ts'
import type { Answer, Responder } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'
import { requireKnownExpectation } from '#http/wire/expectation.ts'
import type { Origin } from '#http/wire/origin.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { batchAnswers, type Operation, outsideBatch } from './batch.ts'
import type { Actor } from './change.ts'
import { feedAnswers, wantsEvents } from './feed.ts'
import type { Caller, Guard, Params } from './guard.ts'
import { historyAnswers } from './history.ts'
import { listAnswers } from './list.ts'
import { type Mutation, mutation } from './mutation.ts'
import type { Gate, Overload } from './overload.ts'
import { asksForPage } from './paging.ts'
import { operationOf } from './presentation.ts'
import type { Principal } from './principal.ts'
import { parseQuery, type Query } from './query.ts'
import { readOnlyMethods } from './read-only.ts'
import { itemAnswers } from './reading.ts'
import { type FoundEndpoint, filledIn, type Place, router } from './router.ts'
import { itemRouteOf, type Route } from './routes.ts'
import type { Rules } from './rules.ts'
import { uploadAnswers } from './uploading.ts'

export interface ApiParts extends Rules {
  readonly guard: Guard
  readonly origin: Origin
  readonly overload: Overload
  /** Read-only paths below the prefix that are not routes, such as the document. */
  readonly documents: Readonly<Record<string, Responder>>
}

/** Takes a request through one version of the API: path, method, guard, query, format, then the handler of the route. */
export const api = (parts: ApiParts) => {
  const { guard, origin, overload, limit, documents } = parts
  const placeAt = router(parts.routes)
  const below = (path: string) => path.slice(parts.prefix.length)

  const enter = (exchange: Exchange, found: FoundEndpoint | undefined) => {
    if (!found) throw notFound()
    const { place, params, suffix } = found
    exchange.suffix = suffix
    exchange.routePattern = place.path
    refuseUnknownSuffix(suffix)
    return { place, named: params }
  }

  const callerOf = (exchange: Exchange): Caller => {
    const { incoming, target } = exchange
    const address = origin.address(incoming)
    exchange.address = address
    return { incoming, authority: target.authority, address, exchange, origin, prefix: parts.prefix }
  }

  /** Checks the rights of the caller. Returns the request without its format. */
  const admitted = (exchange: Exchange, route: Route, { caller, principal, named, actor }: CallerAtPath) => {
    const resolved = guard.resolveAlias(named, principal)
    const params = resolved ?? named
    const query = parseQuery(exchange.target.query)
    const requested = { operation: operationOf(route, query), params, caller }
    const path = route.within ?? route.changes ?? route.path
    const base = () => origin.urlFor(caller.incoming, caller.authority)
    return {
      exchange,
      params,
      self: resolved && principal.id,
      query,
      admission: guard.admit(principal, requested),
      actor: actor ?? { by: principal.id ?? principal.name, track: exchange.track, pendingChanges: [] },
      admitAgain: async () => guard.admit(await guard.recognizeAgain(principal, caller), requested),
      base,
      url: () => base() + parts.prefix + filledIn(path, params),
    }
  }

  /** An operation of a batch is like a request whose caller is known and whose answer is JSON. */
  const find: Operation['find'] = (exchange, principal, actor) => {
    const { place, named } = enter(exchange, placeAt(below(exchange.target.path)))
    const route = requireRoute(place, exchange.method)
    const { mutation } = handlers.get(route) ?? {}
    if (!mutation) throw bodyInvalid([outsideBatch])
    const caller = callerOf(exchange)
    const arrival = { caller, principal, named, actor }
    return { mutation, request: { ...admitted(exchange, route, arrival), format: 'json' } }
  }

  const handlers = new Map(
    parts.routes.map((route) => [
      route,
      { ...routeAnswers(route, parts, find), gateOf: gatesOf(route, overload) },
    ]),
  )

  const respond: Responder = async (exchange) => {
    const path = below(exchange.target.path)
    const found = placeAt(path)
    const document = found ? undefined : documents[path]
    if (document) return document(exchange)
    const { place, named } = enter(exchange, found)
    if (exchange.method === 'OPTIONS') return options(place)
    const route = requireRoute(place, exchange.method)
    const handler = handlers.get(route)
    if (!handler) throw notFound()
    requireKnownExpectation(exchange)
    const caller = callerOf(exchange)
    const principal = await guard.recognize(caller)
    exchange.principal = principal
    if (limit) await limit.count(exchange)
    const request = admitted(exchange, route, { caller, principal, named })
    const gate = handler.gateOf(request.query)
    const waiting = gate.enter(exchange)
    try {
      const format = chooseFormat(exchange.suffix, acceptedBy(exchange, route))
      const answered = await handler.answer({ ...request, format })
      gate.leave(waiting)
      return answered
    } catch (error) {
      gate.leave(waiting, error)
      throw error
    }
  }

  /** The value of Allow at this path. Throws `notFound` if nothing is there. */
  const allowAt = (path: string) => {
    const allow = placeAt(below(path))?.place.allow ?? (documents[below(path)] && readOnlyMethods)
    if (allow === undefined) throw notFound()
    return allow
  }
  return { respond, allowAt }
}

interface CallerAtPath {
  readonly caller: Caller
  readonly principal: Principal
  readonly named: Params
  /** The actor of the batch, if the request is one of its operations. */
  readonly actor?: Actor
}

const requireRoute = (place: Place, method: string): Route => {
  const route = place.methods.get(method)
  if (!route) throw new Problem('methodNotAllowed', { headers: { Allow: place.allow } })
  return route
}

/** The media types of a success. A deletion shows nothing, so every `Accept` admits it; streams and batches have their own types. */
const acceptedBy = (exchange: Exchange, { feed, isBatch }: Route) =>
  exchange.method === 'DELETE' || isBatch || (feed && wantsEvents(exchange))
    ? undefined
    : header(exchange, 'accept')

/** Sending a whole list and reading one page of it are separate kinds of work: when one is full, the other carries on. */
const gatesOf = ({ list, feed }: Route, overload: Overload): ((query: Query) => Gate) => {
  const gate = overload.gate()
  if (feed) return () => leavingAtOnce(gate)
  if (!list) return () => gate
  const gateOfAll = overload.gate()
  return (query) => (asksForPage(query) ? gate : gateOfAll)
}

/** Counts only the admission: the request waits for an event, not for work. */
const leavingAtOnce = (gate: Gate): Gate => ({
  enter(exchange) {
    const waiting = gate.enter(exchange)
    gate.leave(waiting)
    return waiting
  },
  leave: () => undefined,
})

interface Answers {
  answer(request: AdmittedRequest): Promise<Answer>
  /** Present if the route can be an operation of a batch. */
  readonly mutation?: Mutation
}

const routeAnswers = (route: Route, parts: ApiParts, find: Operation['find']): Answers => {
  if (route.list) return { answer: listAnswers(route, route.list, parts) }
  if (route.feed) return { answer: feedAnswers(route, route.feed, parts) }
  if (route.isHistory) return { answer: historyAnswers(route, parts) }
  if (route.upload) return { answer: uploadAnswers(route, route.upload, parts) }
  if (route.isBatch) return { answer: batchAnswers(parts, find) }
  if (route.method === 'GET') return { answer: itemAnswers(route, parts) }
  const made = mutation(route, itemRouteOf(route, parts.routes), parts)
  return { answer: made.answer, ...(!route.notInBatch && !route.showsSecret && { mutation: made }) }
}

const options = (place: Place): Answer => {
  const headers = ['Allow', place.allow]
  if (place.methods.has('PATCH')) headers.push('Accept-Patch', 'application/merge-patch+json')
  return { status: 204, headers }
}

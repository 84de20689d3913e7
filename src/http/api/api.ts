import { bodyInvalid, notFound, Problem } from '#core/problem.ts'
import { chooseFormat, refuseUnknownSuffix } from '#http/message/representation/format.ts'
import type { Answer, Responder } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'
import { requireKnownExpectation } from '#http/wire/expectation.ts'
import type { Origin } from '#http/wire/origin.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { ApiContext } from './api-context.ts'
import { batchAnswers, type FindOperation, notInBatch } from './batch.ts'
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
import { type Endpoint, fillInParams, type RouteMatch, router } from './router.ts'
import { itemRouteOf, type Route } from './routes.ts'
import { uploadAnswers } from './uploading.ts'

export interface ApiOptions extends ApiContext {
  readonly guard: Guard
  readonly origin: Origin
  readonly overload: Overload
  /** Read-only paths below the prefix that are not routes, such as the OpenAPI document. */
  readonly documents: Readonly<Record<string, Responder>>
}

/** Answers the requests of one version of the API: checks path, method, caller, query and format, then calls the route's handler. */
export const api = (options: ApiOptions) => {
  const { guard, origin, overload, rateLimit, documents } = options
  const findEndpoint = router(options.routes)
  const withoutPrefix = (path: string) => path.slice(options.prefix.length)

  const requireEndpoint = (exchange: Exchange, match: RouteMatch | undefined) => {
    if (!match) throw notFound()
    const { endpoint, params, suffix } = match
    exchange.suffix = suffix
    exchange.routePattern = endpoint.path
    refuseUnknownSuffix(suffix)
    return { endpoint, pathParams: params }
  }

  const callerOf = (exchange: Exchange): Caller => {
    const { incoming, target } = exchange
    const address = origin.address(incoming)
    exchange.address = address
    return { incoming, authority: target.authority, address, exchange, origin, prefix: options.prefix }
  }

  /** Checks the rights of the caller. Returns the admitted request, which only lacks its format. */
  const admit = (
    exchange: Exchange,
    route: Route,
    { caller, principal, pathParams, actor }: CallerAtPath,
  ) => {
    const resolved = guard.resolveAlias(pathParams, principal)
    const params = resolved ?? pathParams
    const query = parseQuery(exchange.target.query)
    const accessRequest = { operation: operationOf(route, query), params, caller }
    const path = route.listPath ?? route.changedPath ?? route.path
    const serviceUrl = () => origin.urlFor(caller.incoming, caller.authority)
    return {
      exchange,
      params,
      aliasedId: resolved && principal.id,
      query,
      admission: guard.admit(principal, accessRequest),
      actor: actor ?? { author: principal.id ?? principal.name, track: exchange.track, pendingChanges: [] },
      admitAgain: async () => guard.admit(await guard.recognizeAgain(principal, caller), accessRequest),
      serviceUrl,
      url: () => serviceUrl() + options.prefix + fillInParams(path, params),
    }
  }

  /** Admits an operation of a batch as a request whose caller is already identified and whose answer is JSON. */
  const findOperation: FindOperation = (exchange, principal, actor) => {
    const { endpoint, pathParams } = requireEndpoint(
      exchange,
      findEndpoint(withoutPrefix(exchange.target.path)),
    )
    const route = requireRoute(endpoint, exchange.method)
    const { mutation } = handlers.get(route) ?? {}
    if (!mutation) throw bodyInvalid([notInBatch])
    const caller = callerOf(exchange)
    const callerAtPath = { caller, principal, pathParams, actor }
    return { mutation, request: { ...admit(exchange, route, callerAtPath), format: 'json' } }
  }

  const handlers = new Map(
    options.routes.map((route) => [
      route,
      { ...routeHandler(route, options, findOperation), gateOf: gateChooser(route, overload) },
    ]),
  )

  const respond: Responder = async (exchange) => {
    const path = withoutPrefix(exchange.target.path)
    const match = findEndpoint(path)
    const document = match ? undefined : documents[path]
    if (document) return document(exchange)
    const { endpoint, pathParams } = requireEndpoint(exchange, match)
    if (exchange.method === 'OPTIONS') return optionsAnswer(endpoint)
    const route = requireRoute(endpoint, exchange.method)
    const handler = handlers.get(route)
    if (!handler) throw notFound()
    requireKnownExpectation(exchange)
    const caller = callerOf(exchange)
    const principal = await guard.recognize(caller)
    exchange.principal = principal
    if (rateLimit) await rateLimit.count(exchange)
    const request = admit(exchange, route, { caller, principal, pathParams })
    const gate = handler.gateOf(request.query)
    const waiting = gate.enter(exchange)
    try {
      const format = chooseFormat(exchange.suffix, acceptFor(exchange, route))
      const answer = await handler.answer({ ...request, format })
      gate.leave(waiting)
      return answer
    } catch (error) {
      gate.leave(waiting, error)
      throw error
    }
  }

  /** The value of Allow at this path. Throws `notFound` if nothing is there. */
  const allowHeaderAt = (path: string) => {
    const allow =
      findEndpoint(withoutPrefix(path))?.endpoint.allow ?? (documents[withoutPrefix(path)] && readOnlyMethods)
    if (allow === undefined) throw notFound()
    return allow
  }
  return { respond, allowHeaderAt }
}

interface CallerAtPath {
  readonly caller: Caller
  readonly principal: Principal
  readonly pathParams: Params
  /** The actor of the batch, if the request is one of its operations. */
  readonly actor?: Actor
}

const requireRoute = (endpoint: Endpoint, method: string): Route => {
  const route = endpoint.methods.get(method)
  if (!route) throw new Problem('methodNotAllowed', { headers: { Allow: endpoint.allow } })
  return route
}

/** The Accept that decides the format. A deletion shows nothing, so its Accept is ignored. Streams and batches read Accept themselves. */
const acceptFor = (exchange: Exchange, { feed, isBatch }: Route) =>
  exchange.method === 'DELETE' || isBatch || (feed && wantsEvents(exchange))
    ? undefined
    : header(exchange, 'accept')

/** Whole lists have another gate than pages, so that pages are still served when too many requests wait for whole lists. */
const gateChooser = ({ list, feed }: Route, overload: Overload): ((query: Query) => Gate) => {
  const gate = overload.gate()
  if (feed) return () => leaveAtOnce(gate)
  if (!list) return () => gate
  const wholeListGate = overload.gate()
  return (query) => (asksForPage(query) ? gate : wholeListGate)
}

/** A gate that each request leaves as soon as it has entered, because it then waits for an event, not for work. */
const leaveAtOnce = (gate: Gate): Gate => ({
  enter(exchange) {
    const waiting = gate.enter(exchange)
    gate.leave(waiting)
    return waiting
  },
  leave: () => undefined,
})

interface RouteHandler {
  answer(request: AdmittedRequest): Promise<Answer>
  /** Present if the route can be an operation of a batch. */
  readonly mutation?: Mutation
}

const routeHandler = (route: Route, options: ApiOptions, findOperation: FindOperation): RouteHandler => {
  if (route.list) return { answer: listAnswers(route, route.list, options) }
  if (route.feed) return { answer: feedAnswers(route, route.feed, options) }
  if (route.isHistory) return { answer: historyAnswers(route, options) }
  if (route.upload) return { answer: uploadAnswers(route, route.upload, options) }
  if (route.isBatch) return { answer: batchAnswers(options, findOperation) }
  if (route.method === 'GET') return { answer: itemAnswers(route, options) }
  const routeMutation = mutation(route, itemRouteOf(route, options.routes), options)
  return {
    answer: routeMutation.answer,
    ...(!route.notInBatch && !route.showsSecret && { mutation: routeMutation }),
  }
}

const optionsAnswer = (endpoint: Endpoint): Answer => {
  const headers = ['Allow', endpoint.allow]
  if (endpoint.methods.has('PATCH')) headers.push('Accept-Patch', 'application/merge-patch+json')
  return { status: 204, headers }
}

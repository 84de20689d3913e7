import { notFound, Problem } from '#core/problem.ts'
import { chooseForm, requireSuffix } from '#http/message/representation/form.ts'
import type { Answer, Responder } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'
import { requireMet } from '#http/wire/expectation.ts'
import type { Origin } from '#http/wire/origin.ts'
import { type ChangeRules, changeAnswers } from './changing.ts'
import type { FeedRules } from './feed.ts'
import { feedAnswers, wantsEvents } from './feeding.ts'
import type { Guard } from './guard.ts'
import { historyAnswers } from './history.ts'
import { type ListRules, listAnswers } from './listing.ts'
import { asksForPage } from './lists.ts'
import type { Gate, Overload } from './overload.ts'
import { parseQuery, type Query } from './query.ts'
import type { RateLimit } from './rate-limit.ts'
import { itemAnswers } from './reading.ts'
import { filledIn, type Place, router } from './router.ts'
import { type Route, showingRoute } from './routes.ts'
import { operationOf } from './showing.ts'
import type { Visit } from './visit.ts'

export interface ApiParts extends ChangeRules, ListRules, FeedRules {
  readonly guard: Guard
  readonly origin: Origin
  readonly overload: Overload
  /** Counts the requests of each caller. Undefined where no limit is set. */
  readonly limit: RateLimit | undefined
}

export interface Api {
  readonly respond: Responder
  /** The value of Allow at this path. Throws `notFound` if nothing is there. */
  allowAt(path: string): string
}

/** Takes a request through one version of the API: place, method, guard, query, form, then what the route does. */
export const api = (parts: ApiParts): Api => {
  const find = router(parts.routes)
  const foundAt = (path: string) => {
    const found = find(path.slice(parts.prefix.length))
    if (!found) throw notFound()
    return found
  }
  const { guard, origin, overload, limit } = parts
  const handlers = new Map(
    parts.routes.map((route) => [
      route,
      { answer: routeAnswers(route, parts), gateOf: gatesOf(route, overload) },
    ]),
  )
  const respond: Responder = async (exchange) => {
    const { place, params: named, suffix } = foundAt(exchange.target.path)
    exchange.suffix = suffix
    exchange.place = place.path
    requireSuffix(suffix)
    if (exchange.method === 'OPTIONS') return options(place)
    const route = place.methods.get(exchange.method)
    const handler = route && handlers.get(route)
    if (!handler) throw new Problem('methodNotAllowed', { headers: { Allow: place.allow } })
    requireMet(exchange)
    const { incoming } = exchange
    const address = origin.address(incoming)
    exchange.address = address
    const { authority } = exchange.target
    const caller = { incoming, authority, address, exchange, origin, prefix: parts.prefix }
    const principal = await guard.recognize(caller)
    exchange.principal = principal
    if (limit) await limit.count(exchange)
    const own = guard.own(named, principal)
    const params = own ?? named
    const self = own && principal.id
    const query = parseQuery(exchange.target.query)
    const requested = { route, operation: operationOf(route, query), params, caller }
    const admission = guard.admit(principal, requested)
    const gate = handler.gateOf(query)
    const waiting = gate.enter(exchange)
    try {
      const form = chooseForm(suffix, acceptedBy(exchange, route))
      const path = route.changes ?? route.path
      const url = () => origin.urlFor(incoming, authority) + parts.prefix + filledIn(path, params)
      const admitAgain = async () => guard.admit(await guard.recognize(caller), requested)
      const answered = await handler.answer({
        exchange,
        params,
        self,
        admission,
        admitAgain,
        form,
        query,
        url,
      })
      gate.leave(waiting)
      return answered
    } catch (error) {
      gate.leave(waiting, error)
      throw error
    }
  }
  return { respond, allowAt: (path) => foundAt(path).place.allow }
}

/** What a success may look like. A deletion has nothing to show, so no `Accept` excludes it; a stream has a form of its own. */
const acceptedBy = (exchange: Exchange, { feed }: Route) =>
  exchange.method === 'DELETE' || (feed && wantsEvents(exchange)) ? undefined : header(exchange, 'accept')

/** Sending a whole list and reading one page of it are separate kinds of work: when one is full, the other carries on. */
const gatesOf = ({ list, feed }: Route, overload: Overload): ((query: Query) => Gate) => {
  const gate = overload.gate()
  if (feed) return () => passedAtOnce(gate)
  if (!list) return () => gate
  const gateOfAll = overload.gate()
  return (query) => (asksForPage(query) ? gate : gateOfAll)
}

/** For requests that wait for something other than work. */
const passedAtOnce = (gate: Gate): Gate => ({
  enter(exchange) {
    const waiting = gate.enter(exchange)
    gate.leave(waiting)
    return waiting
  },
  leave: () => undefined,
})

const routeAnswers = (route: Route, parts: ApiParts): ((visit: Visit) => Promise<Answer>) => {
  if (route.list) return listAnswers(route, route.list, parts)
  if (route.feed) return feedAnswers(route, route.feed, parts)
  if (route.isHistory) return historyAnswers(route, parts)
  if (route.method === 'GET') return itemAnswers(route, parts)
  return changeAnswers(route, showingRoute(route, parts.routes), parts)
}

const options = (place: Place): Answer => {
  const headers = ['Allow', place.allow]
  if (place.methods.has('PATCH')) headers.push('Accept-Patch', 'application/merge-patch+json')
  return { status: 204, headers }
}

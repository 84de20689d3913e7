import { networkOf } from '#core/network.ts'
import { notFound, Problem } from '#core/problem.ts'
import { chooseForm, requireSuffix } from '#http/message/representation/form.ts'
import type { Answer, Responder } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'
import { requireMet } from '#http/wire/expectation.ts'
import type { Origin } from '#http/wire/origin.ts'
import { type ChangeRules, changeAnswers } from './changing.ts'
import { type Guard, memberCalledMe, type Principal } from './guard.ts'
import { type ListRules, listAnswers } from './listing.ts'
import { asksForPage } from './lists.ts'
import type { Gate, Overload } from './overload.ts'
import { parseQuery, type Query } from './query.ts'
import type { RateLimit } from './rate-limit.ts'
import { itemAnswers } from './reading.ts'
import { filledIn, type Place, router } from './router.ts'
import { type Route, showingRoute } from './routes.ts'
import type { Visit } from './visit.ts'

export interface ApiParts extends ChangeRules, ListRules {
  /** Precedes every path, such as `/api/v1`. */
  readonly prefix: string
  readonly routes: readonly Route[]
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
    const caller = { incoming, authority, address, origin, prefix: parts.prefix }
    const principal = await guard.recognize(caller)
    exchange.principal = principal
    if (limit) await limit(exchange, callerOf(principal, address))
    const me = memberCalledMe(named, principal)
    const params = me === undefined ? named : { ...named, memberId: me }
    const requested = { route, params, caller }
    const admission = guard.admit(principal, requested)
    const query = parseQuery(exchange.target.query)
    const gate = handler.gateOf(query)
    const waiting = gate.enter(exchange)
    try {
      const form = chooseForm(suffix, acceptedBy(exchange))
      const path = route.changes ?? route.path
      const url = () => origin.urlFor(incoming, authority) + parts.prefix + filledIn(path, params)
      const admitAgain = async () => guard.admit(await guard.recognize(caller), requested)
      const answered = await handler.answer({ exchange, params, me, admission, admitAgain, form, query, url })
      gate.leave(waiting)
      return answered
    } catch (error) {
      gate.leave(waiting, error)
      throw error
    }
  }
  return { respond, allowAt: (path) => foundAt(path).place.allow }
}

/** What a success may look like. A deletion has nothing to show, so no `Accept` excludes it. */
const acceptedBy = (exchange: Exchange) =>
  exchange.method === 'DELETE' ? undefined : header(exchange, 'accept')

/** Anonymous callers are counted by network. */
const callerOf = ({ kind, name }: Principal, address: string) =>
  kind === 'anyone' ? networkOf(address) : name

/** Sending a whole list and reading one page of it are separate kinds of work: when one is full, the other carries on. */
const gatesOf = ({ list }: Route, overload: Overload): ((query: Query) => Gate) => {
  const gate = overload.gate()
  if (!list) return () => gate
  const gateOfAll = overload.gate()
  return (query) => (asksForPage(query) ? gate : gateOfAll)
}

const routeAnswers = (route: Route, parts: ApiParts): ((visit: Visit) => Promise<Answer>) => {
  if (route.list) return listAnswers(route, route.list, parts)
  if (route.method === 'GET') return itemAnswers(route, parts)
  return changeAnswers(route, showingRoute(route, parts.routes), parts)
}

const options = (place: Place): Answer => {
  const headers = ['Allow', place.allow]
  if (place.methods.has('PATCH')) headers.push('Accept-Patch', 'application/merge-patch+json')
  return { status: 204, headers }
}

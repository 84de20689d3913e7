import type { Clock, Instant } from '#core/clock.ts'
import { networkOf } from '#core/network.ts'
import { Problem } from '#core/problem.ts'
import type { Responder } from '#http/wire/answer.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import type { Origin } from '#http/wire/origin.ts'

export interface Rate {
  readonly count: number
  readonly seconds: number
}

/** Requests taken from one caller's allowance. */
export interface Grant {
  readonly granted: number
  /** The rest of the allowance, until it ends. */
  readonly left: number
  readonly endsAt: Instant
}

/** The allowances of all callers, shared by all processes that count with them. */
export interface Allowances {
  take(caller: string, wanted: number): Promise<Grant>
}

interface RateLimitParts {
  readonly rate: Rate
  readonly clock: Clock
  /** Undefined where this process counts alone. */
  readonly shared: Allowances | undefined
  /** Called when the shared allowances could not be reached. Each caller then has one second's share of its allowance, for a second. */
  readonly lost: (error: unknown) => void
  readonly origin: Pick<Origin, 'address'>
}

export interface RateLimit {
  /** Counts a request for its caller and adds the rest of the allowance to the answer, or refuses the request. */
  count(exchange: Exchange): void | Promise<void>
  /** Also counts requests whose caller was never identified, such as unknown paths and wrong credentials. */
  around(respond: Responder): Responder
}

/** A hundredth is taken at a time: the count is exact, and the database is asked at most a hundred times per window. */
const portions = 100
const maxCallers = 100_000
const lostMs = 1_000

/** Counts requests where a limit is set (decision 0012). */
export const rateLimit = ({ rate, clock, shared, lost, origin }: RateLimitParts): RateLimit => {
  const leases = new Map<string, Lease>()
  const renewing = new Map<string, Promise<void>>()
  const allowances = shared ?? wholeAllowances(rate, clock)
  const portion = Math.max(1, Math.floor(rate.count / portions))
  const perSecond = Math.ceil(rate.count / rate.seconds)
  const policy = `"default";q=${rate.count};w=${rate.seconds}`

  const renew = (caller: string): Promise<void> => {
    const known = renewing.get(caller)
    if (known) return known
    const renewal = allowances
      .take(caller, portion)
      .catch((error): Grant => {
        lost(error)
        return { granted: perSecond, left: 0, endsAt: clock.now() + lostMs }
      })
      .then((grant) => keep(leases, caller, grant))
      .finally(() => renewing.delete(caller))
    renewing.set(caller, renewal)
    return renewal
  }

  /** False when more must first be taken. */
  const spend = (exchange: Exchange, caller: string): boolean => {
    const lease = leases.get(caller)
    const leftMs = (lease?.endsAt ?? 0) - clock.now()
    if (!lease || !isWithinWindow(leftMs, rate) || (lease.own === 0 && lease.left > 0)) return false
    const seconds = String(Math.ceil(leftMs / 1000))
    const isRefused = lease.own === 0
    if (!isRefused) lease.own--
    const remaining = `"default";r=${lease.own + lease.left};t=${seconds}`
    exchange.extraHeaders = [...uncounted(exchange), 'RateLimit', remaining, 'RateLimit-Policy', policy]
    if (isRefused) throw new Problem('tooManyRequests', { headers: { 'Retry-After': seconds } })
    return true
  }

  const renewAndSpend = async (exchange: Exchange, caller: string) => {
    do await renew(caller)
    while (!spend(exchange, caller))
  }

  /** Callers without a name are told apart by their network. */
  const callerOf = ({ principal, incoming }: Exchange) =>
    principal === undefined || principal.kind === 'anyone'
      ? networkOf(origin.address(incoming))
      : principal.name

  const count = (exchange: Exchange) => {
    const caller = callerOf(exchange)
    return spend(exchange, caller) ? undefined : renewAndSpend(exchange, caller)
  }

  return {
    count,
    around: (respond) => async (exchange) => {
      try {
        return await respond(exchange)
      } finally {
        if (exchange.principal === undefined) await count(exchange)
      }
    },
  }
}

/** The operations of a batch are counted one after another. Its answer has the rest after the last one. */
const uncounted = ({ extraHeaders }: Exchange) => {
  const from = extraHeaders.indexOf('RateLimit')
  return from < 0 ? extraHeaders : extraHeaders.slice(0, from)
}

/** Ends of windows may be ahead by one window, because clocks differ. An end further away was written before a clock was set back. */
const isWithinWindow = (leftMs: number, { seconds }: Rate) => leftMs > 0 && leftMs <= 2 * seconds * 1000

interface Lease {
  own: number
  readonly left: number
  readonly endsAt: Instant
}

const keep = (leases: Map<string, Lease>, caller: string, { granted, left, endsAt }: Grant) => {
  leases.delete(caller)
  for (const oldest of leases.keys()) {
    if (leases.size < maxCallers) break
    leases.delete(oldest)
  }
  leases.set(caller, { own: granted, left, endsAt })
}

/** Where this process counts alone, the whole allowance is taken at once. */
const wholeAllowances = ({ count, seconds }: Rate, clock: Clock): Allowances => ({
  take: async () => ({ granted: count, left: 0, endsAt: clock.now() + seconds * 1000 }),
})

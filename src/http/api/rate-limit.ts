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

/** A number of requests, taken from one caller's allowance. */
export interface Grant {
  readonly granted: number
  /** The rest of the allowance, which is valid until `endsAt`. */
  readonly left: number
  readonly endsAt: Instant
}

/** The allowances of all callers, which several processes may share. */
export interface Allowances {
  take(caller: string, wanted: number): Promise<Grant>
}

interface RateLimitOptions {
  readonly rate: Rate
  readonly clock: Clock
  /** Undefined if this process counts alone. */
  readonly shared: Allowances | undefined
  /** Called if the shared allowances cannot be reached. For the next second, each caller then has the allowance of one second. */
  readonly onUnreachable: (error: unknown) => void
  readonly origin: Pick<Origin, 'address'>
}

export interface RateLimit {
  /** Counts a request for its caller and adds the rest of the allowance to the answer, or refuses the request. */
  count(exchange: Exchange): void | Promise<void>
  /** Wraps a responder: counts a request after its answer if no caller was identified, as with unknown paths and wrong credentials. */
  countUnidentified(respond: Responder): Responder
}

/** A process takes a hundredth of an allowance at a time, so it asks the database at most a hundred times per window. */
const portionsPerWindow = 100
const maxCallers = 100_000
const unreachableMs = 1_000

/** Limits the requests of each caller (decision 0012). */
export const rateLimit = ({ rate, clock, shared, onUnreachable, origin }: RateLimitOptions): RateLimit => {
  const portions = new Map<string, Portion>()
  const runningRenewals = new Map<string, Promise<void>>()
  const allowances = shared ?? localAllowances(rate, clock)
  const portionSize = Math.max(1, Math.floor(rate.count / portionsPerWindow))
  const perSecond = Math.ceil(rate.count / rate.seconds)
  const policy = `"default";q=${rate.count};w=${rate.seconds}`

  const renew = (caller: string): Promise<void> => {
    const running = runningRenewals.get(caller)
    if (running) return running
    const renewal = allowances
      .take(caller, portionSize)
      .catch((error): Grant => {
        onUnreachable(error)
        return { granted: perSecond, left: 0, endsAt: clock.now() + unreachableMs }
      })
      .then((grant) => replacePortion(portions, caller, grant))
      .finally(() => runningRenewals.delete(caller))
    runningRenewals.set(caller, renewal)
    return renewal
  }

  /** Counts one request of the caller's portion. False if another portion must be taken first. */
  const spend = (exchange: Exchange, caller: string): boolean => {
    const current = portions.get(caller)
    const leftMs = (current?.endsAt ?? 0) - clock.now()
    if (!current || !isWithinWindow(leftMs, rate) || (current.usable === 0 && current.left > 0)) return false
    const seconds = String(Math.ceil(leftMs / 1000))
    const isRefused = current.usable === 0
    if (!isRefused) current.usable--
    const remaining = `"default";r=${current.usable + current.left};t=${seconds}`
    exchange.extraHeaders = [
      ...fieldsWithoutCount(exchange),
      'RateLimit',
      remaining,
      'RateLimit-Policy',
      policy,
    ]
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
    countUnidentified: (respond) => async (exchange) => {
      try {
        return await respond(exchange)
      } finally {
        if (exchange.principal === undefined) await count(exchange)
      }
    },
  }
}

/** The header fields, with those of an earlier count removed: the operations of a batch are counted one by one, and its answer has the last count. */
const fieldsWithoutCount = ({ extraHeaders }: Exchange) => {
  const from = extraHeaders.indexOf('RateLimit')
  return from < 0 ? extraHeaders : extraHeaders.slice(0, from)
}

/** The end can come from another machine's clock, up to one window ahead of ours. An end further away means that a clock was set back. */
const isWithinWindow = (leftMs: number, { seconds }: Rate) => leftMs > 0 && leftMs <= 2 * seconds * 1000

interface Portion {
  /** The requests that this process may still admit. */
  usable: number
  readonly left: number
  readonly endsAt: Instant
}

const replacePortion = (portions: Map<string, Portion>, caller: string, { granted, left, endsAt }: Grant) => {
  portions.delete(caller)
  for (const oldest of portions.keys()) {
    if (portions.size < maxCallers) break
    portions.delete(oldest)
  }
  portions.set(caller, { usable: granted, left, endsAt })
}

/** The allowances of a process that counts alone: it takes the whole allowance at once. */
const localAllowances = ({ count, seconds }: Rate, clock: Clock): Allowances => ({
  take: async () => ({ granted: count, left: 0, endsAt: clock.now() + seconds * 1000 }),
})

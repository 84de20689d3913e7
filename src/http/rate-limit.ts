import type { Clock, Instant } from '#core/clock.ts'
import { Problem } from '#core/problem.ts'
import type { Responder } from './api.ts'
import type { Exchange } from './exchange.ts'

/** So many requests in so many seconds. */
export interface Rate {
  readonly count: number
  readonly seconds: number
}

/** Requests that were taken out of the allowance of one caller. */
export interface Grant {
  readonly granted: number
  /** What is left for others to take until it ends. */
  readonly left: number
  readonly endsAt: Instant
}

/** The allowances of all callers, shared by all who count with them. */
export interface Allowances {
  take(caller: string, wanted: number): Promise<Grant>
}

interface RateLimitParts {
  readonly rate: Rate
  readonly clock: Clock
  /** Not given where this process counts alone. */
  readonly shared: Allowances | undefined
  /** Told when the shared ones could not be asked: nobody is refused for that. */
  readonly lost: (error: unknown) => void
}

/** Counts a request of a caller and adds what is left to its answer, or refuses it. */
export type RateLimit = (exchange: Exchange, caller: string) => void | Promise<void>

/** A hundredth is taken at a time: the count is exact, and asks the database a hundred times a window at most. */
const portions = 100
const mostCallers = 100_000
const lostMs = 1_000

/** Counts requests where a limit was set (decision 0012). */
export const rateLimit = ({ rate, clock, shared, lost }: RateLimitParts): RateLimit => {
  const leases = new Map<string, Lease>()
  const renewing = new Map<string, Promise<void>>()
  const allowances = shared ?? wholeAllowances(rate, clock)
  const portion = Math.max(1, Math.floor(rate.count / portions))
  const policy = `"default";q=${rate.count};w=${rate.seconds}`

  const renew = (caller: string): Promise<void> => {
    const known = renewing.get(caller)
    if (known) return known
    const asked = allowances
      .take(caller, portion)
      .catch((error): Grant => {
        lost(error)
        return { granted: portion, left: 0, endsAt: clock.now() + lostMs }
      })
      .then((grant) => keep(leases, caller, grant))
      .finally(() => renewing.delete(caller))
    renewing.set(caller, asked)
    return asked
  }

  /** False when more must be taken first. */
  const spend = (exchange: Exchange, caller: string): boolean => {
    const lease = leases.get(caller)
    const leftMs = (lease?.endsAt ?? 0) - clock.now()
    if (!lease || !isWithinWindow(leftMs, rate) || (lease.own === 0 && lease.left > 0)) return false
    const seconds = String(Math.ceil(leftMs / 1000))
    const isRefused = lease.own === 0
    if (!isRefused) lease.own--
    const standing = `"default";r=${lease.own + lease.left};t=${seconds}`
    exchange.extraHeaders = [...exchange.extraHeaders, 'RateLimit', standing, 'RateLimit-Policy', policy]
    if (isRefused) throw new Problem('tooManyRequests', { headers: { 'Retry-After': seconds } })
    return true
  }

  const renewAndSpend = async (exchange: Exchange, caller: string) => {
    do await renew(caller)
    while (!spend(exchange, caller))
  }

  return (exchange, caller) => (spend(exchange, caller) ? undefined : renewAndSpend(exchange, caller))
}

/** An end further away than one whole window was written before the clock was set back: ignore it. */
export const isWithinWindow = (leftMs: number, { seconds }: Rate) => leftMs > 0 && leftMs <= seconds * 1000

interface Lease {
  own: number
  readonly left: number
  readonly endsAt: Instant
}

const keep = (leases: Map<string, Lease>, caller: string, { granted, left, endsAt }: Grant) => {
  leases.delete(caller)
  for (const oldest of leases.keys()) {
    if (leases.size < mostCallers) break
    leases.delete(oldest)
  }
  leases.set(caller, { own: granted, left, endsAt })
}

/** Where this process counts alone, all is taken at once. */
const wholeAllowances = ({ count, seconds }: Rate, clock: Clock): Allowances => ({
  take: async () => ({ granted: count, left: 0, endsAt: clock.now() + seconds * 1000 }),
})

/** Counts requests without a principal, such as unknown paths and wrong credentials, by their network. */
export const strangersCounted =
  (respond: Responder, limit: RateLimit, addressOf: (exchange: Exchange) => string): Responder =>
  async (exchange) => {
    const outcome = await respond(exchange).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    )
    if (exchange.principal === undefined) await limit(exchange, addressOf(exchange))
    if ('error' in outcome) throw outcome.error
    return outcome.answer
  }

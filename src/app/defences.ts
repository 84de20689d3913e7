import type { Clock } from '#core/clock.ts'
import { allowedHosts } from '#http/api/allowed-hosts.ts'
import { type Overload, overload } from '#http/api/overload.ts'
import { type RateLimit, rateLimit } from '#http/api/rate-limit.ts'
import { type Cors, cors, crossOrigin } from '#http/message/cors.ts'
import type { Responder } from '#http/wire/answer.ts'
import { type Origin, originReader, trustsProxy } from '#http/wire/origin.ts'
import { allowances } from '#ledger/allowances.ts'
import type { Sweep } from '#ledger/sweep.ts'
import type { Database } from '#sql/database.ts'
import { allowedHostsOf } from '#src/config/allowed-hosts.ts'
import type { Config } from '#src/config.ts'

export interface Defences {
  /** The limits that every request passes. */
  readonly gates: {
    readonly overload: Overload
    readonly limit: RateLimit | undefined
  }
  readonly cors: Cors | undefined
  /** Wraps an API in the defences. */
  around(respond: Responder): Responder
  /** Wraps the pages and probes. */
  aroundOthers(respond: Responder): Responder
  /** Where a request comes from, and where its caller reaches the service. */
  readonly origin: Origin
  /** Whether this is the address of a proxy with many callers. */
  isProxy(address: string): boolean
  /** Refuses hosts that are not allowed, and changes by pages of other sites. */
  checkHost(respond: Responder): Responder
  readonly sweeps: Readonly<Record<string, Sweep>>
  stop(): void
}

interface DefenceParts {
  readonly db: Database
  readonly clock: Clock
  readonly warn: (error: unknown) => void
}

/** Keeps the service responsive under load, and tells browsers whose pages may call it. */
export const openDefences = (config: Config, parts: DefenceParts): Defences => {
  const { PUBLIC_URL, TRUST_PROXY } = config
  const trusts = trustsProxy(TRUST_PROXY)
  const origin = originReader(PUBLIC_URL, trusts)
  const { limit, sweeps } = counting(config.RATE_LIMIT, origin, parts)
  const gates = { overload: overload(), limit }
  const pages = cors(config.CORS_ORIGINS)
  const counted = (respond: Responder) => limit?.around(respond) ?? respond
  const names = allowedHostsOf(config)
  const isAllowed = (from: string) => pages?.isAllowed(from) === true
  const checkHost = (respond: Responder) => (names ? allowedHosts(names, isAllowed, respond) : respond)
  return {
    gates,
    cors: pages,
    around: (respond) => crossOrigin(pages, counted(checkHost(respond))),
    checkHost,
    aroundOthers: (respond) => crossOrigin(pages, respond),
    origin,
    isProxy: (address) => trusts?.(address) === true,
    sweeps,
    stop: gates.overload.stop,
  }
}

/** Counts the requests of each caller against a rate; instances that share a database count together. */
const counting = (rate: Config['RATE_LIMIT'], origin: Origin, { db, clock, warn }: DefenceParts) => {
  if (rate === 'off') return { limit: undefined, sweeps: {} }
  const shared = db.engine === 'sqlite' ? undefined : allowances({ db, clock, rate })
  const limit = rateLimit({ rate, clock, shared, lost: warn, origin })
  return { limit, sweeps: shared ? { allowances: shared.sweep } : {} }
}

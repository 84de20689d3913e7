import type { Clock } from '#core/clock.ts'
import { allowedHosts } from '#http/api/allowed-hosts.ts'
import { overload } from '#http/api/overload.ts'
import { rateLimit } from '#http/api/rate-limit.ts'
import { cors, crossOrigin } from '#http/message/cors.ts'
import type { Responder } from '#http/wire/answer.ts'
import { type Origin, originReader, trustsProxy } from '#http/wire/origin.ts'
import { allowances } from '#ledger/allowances.ts'
import type { Sweep } from '#ledger/sweep.ts'
import type { Database } from '#sql/database.ts'
import { allowedHostsOf } from '#src/config/allowed-hosts.ts'
import type { Config } from '#src/config.ts'

export type Defences = ReturnType<typeof openDefences>

interface DefenceParts {
  readonly db: Database
  readonly clock: Clock
  readonly warn: (error: unknown) => void
}

/** Keeps the service responsive under load, and tells browsers whose pages may call it. */
export const openDefences = (config: Config, parts: DefenceParts) => {
  const { PUBLIC_URL, TRUST_PROXY } = config
  const trusts = trustsProxy(TRUST_PROXY)
  /** Where a request comes from, and where its caller reaches the service. */
  const origin = originReader(PUBLIC_URL, trusts)
  const { limit, sweeps } = counting(config.RATE_LIMIT, origin, parts)
  /** The limits that every request passes. */
  const gates = { overload: overload(), limit }
  const pages = cors(config.CORS_ORIGINS)
  const counted = (respond: Responder) => limit?.around(respond) ?? respond
  const names = allowedHostsOf(config)
  const isAllowed = (from: string) => pages?.isAllowed(from) === true
  /** Refuses hosts that are not allowed, and changes by pages of other sites. */
  const checkHost = (respond: Responder) => (names ? allowedHosts(names, isAllowed, respond) : respond)
  return {
    gates,
    cors: pages,
    /** Wraps an API in the defences. */
    around: (respond: Responder) => crossOrigin(pages, counted(checkHost(respond))),
    checkHost,
    /** Wraps the pages and probes. */
    aroundOthers: (respond: Responder) => crossOrigin(pages, respond),
    origin,
    /** Whether this is the address of a proxy with many callers. */
    isProxy: (address: string) => trusts?.(address) === true,
    sweeps,
    stop: gates.overload.stop,
  }
}

/** Counts the requests of each caller against a rate; instances that share a database count together. */
const counting = (rate: Config['RATE_LIMIT'], origin: Origin, { db, clock, warn }: DefenceParts) => {
  const none: Readonly<Record<string, Sweep>> = {}
  if (rate === 'off') return { limit: undefined, sweeps: none }
  const shared = db.engine === 'sqlite' ? undefined : allowances({ db, clock, rate })
  const limit = rateLimit({ rate, clock, shared, lost: warn, origin })
  return { limit, sweeps: shared ? { allowances: shared.sweep } : none }
}

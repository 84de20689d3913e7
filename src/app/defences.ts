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

/** The limits on requests, and the checks of hosts and of the sites that may call the service from a browser. */
export const openDefences = (config: Config, parts: DefenceParts) => {
  const { PUBLIC_URL, TRUST_PROXY } = config
  const trusts = trustsProxy(TRUST_PROXY)
  /** Reads the address of the caller, and the URL by which the caller reaches the service. */
  const origin = originReader(PUBLIC_URL, trusts)
  const { limit, sweeps } = openRateLimit(config.RATE_LIMIT, origin, parts)
  /** The limits that every request passes. */
  const requestLimits = { overload: overload(), rateLimit: limit }
  const corsPolicy = cors(config.CORS_ORIGINS)
  const rateLimited = (respond: Responder) => limit?.countUnidentified(respond) ?? respond
  const hostNames = allowedHostsOf(config)
  const isAllowed = (from: string) => corsPolicy?.isAllowed(from) === true
  /** Refuses hosts that are not allowed, and changes by pages of other sites. */
  const checkHost = (respond: Responder) =>
    hostNames ? allowedHosts(hostNames, isAllowed, respond) : respond
  return {
    requestLimits,
    cors: corsPolicy,
    /** Applies all defences to an API. */
    protectApi: (respond: Responder) => crossOrigin(corsPolicy, rateLimited(checkHost(respond))),
    checkHost,
    /** Applies the check of foreign sites to pages and health checks. */
    protectPages: (respond: Responder) => crossOrigin(corsPolicy, respond),
    origin,
    /** True if the address belongs to a trusted proxy, behind which there are many callers. */
    isProxy: (address: string) => trusts?.(address) === true,
    sweeps,
    stop: requestLimits.overload.stop,
  }
}

/** Limits the requests of each caller. Instances that share a PostgreSQL database count together. */
const openRateLimit = (rate: Config['RATE_LIMIT'], origin: Origin, { db, clock, warn }: DefenceParts) => {
  const none: Readonly<Record<string, Sweep>> = {}
  if (rate === 'off') return { limit: undefined, sweeps: none }
  const shared = db.engine === 'sqlite' ? undefined : allowances({ db, clock, rate })
  const limit = rateLimit({ rate, clock, shared, onUnreachable: warn, origin })
  return { limit, sweeps: shared ? { allowances: shared.sweep } : none }
}

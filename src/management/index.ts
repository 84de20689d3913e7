import type { Responder } from '#http/api.ts'
import { unlessRead } from '#http/read-only.ts'
import { live, type Readiness, ready } from './health.ts'
import { metricsPage } from './metrics-page.ts'

interface ManagementParts {
  readonly readiness: Readiness
  /** Guards everything except health, which probes request by any host name. */
  readonly underOwnNames: (respond: Responder) => Responder
  readonly docs: Responder
  readonly metrics: { text(): Promise<string> }
  /** Answers all other paths. */
  readonly rest: Responder
}

/** The pages of the management listener. */
export const management = ({ readiness, underOwnNames, docs, metrics, rest }: ManagementParts): Responder => {
  const pages = new Map<string, Responder>([
    ['/health/live', live],
    ['/health/ready', ready(readiness)],
    ['/metrics', underOwnNames(metricsPage(metrics))],
  ])
  const [documents, others] = [underOwnNames(docs), underOwnNames(rest)]
  return async (exchange) => {
    const { path } = exchange.target
    if (path === '/docs' || path.startsWith('/docs/')) return documents(exchange)
    const page = pages.get(path)
    if (!page) return others(exchange)
    exchange.place = path
    exchange.isProbe = path.startsWith('/health/')
    return unlessRead(exchange) ?? page(exchange)
  }
}

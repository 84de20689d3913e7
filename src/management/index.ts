import { unlessRead } from '#http/api/read-only.ts'
import type { Answer, Responder } from '#http/wire/answer.ts'

interface ManagementParts {
  readonly readiness: Readiness
  /** Guards everything except health, which probes request by any host name. */
  readonly underOwnNames: (respond: Responder) => Responder
  readonly metrics: { text(): Promise<string> }
  readonly past: { json(): string }
  /** Answers all other paths. */
  readonly rest: Responder
}

interface Readiness {
  /** Why the service is not ready; empty if it is. */
  reasons(): Promise<readonly string[]>
}

/** The pages of the management listener. */
export const management = ({ readiness, underOwnNames, metrics, past, rest }: ManagementParts): Responder => {
  const pages = new Map<string, Responder>([
    ['/health/live', async () => fresh(200, 'application/json', JSON.stringify({ status: 'up' }))],
    ['/health/ready', async () => readinessOf(await readiness.reasons())],
    ['/metrics', underOwnNames(async () => fresh(200, prometheusText, await metrics.text()))],
    ['/metrics/past', underOwnNames(async () => fresh(200, 'application/json', past.json()))],
  ])
  const others = underOwnNames(rest)
  return async (exchange) => {
    const { path } = exchange.target
    const page = pages.get(path)
    if (!page) return others(exchange)
    exchange.place = path
    exchange.isProbe = path.startsWith('/health/')
    return unlessRead(exchange) ?? page(exchange)
  }
}

const prometheusText = 'text/plain; version=0.0.4; charset=utf-8'

const fresh = (status: number, type: string, body: string): Answer => ({
  status,
  headers: ['Content-Type', type, 'Cache-Control', 'no-store'],
  body,
})

/** Whether the service can do its work. */
const readinessOf = (reasons: readonly string[]): Answer =>
  reasons.length === 0
    ? fresh(200, 'application/json', JSON.stringify({ status: 'up' }))
    : fresh(503, 'application/json', JSON.stringify({ status: 'down', reasons }))

import { answerUnlessRead } from '#http/api/read-only.ts'
import type { Answer, Responder } from '#http/wire/answer.ts'

interface ManagementParts {
  readonly readiness: Readiness
  /** Refuses other hosts than the allowed ones. Health is exempt, because probes use any host name. */
  readonly checkHost: (respond: Responder) => Responder
  readonly metrics: { text(): Promise<string> }
  readonly history: { json(): string }
  readonly rest: Responder
}

interface Readiness {
  /** Why the service is not ready; empty if it is. */
  reasons(): Promise<readonly string[]>
  /** The failing tasks. Operators should look at them, but requests are still answered. */
  failing(): readonly string[]
}

export const management = ({ readiness, checkHost, metrics, history, rest }: ManagementParts): Responder => {
  const pages = new Map<string, Responder>([
    ['/health/live', async () => fresh(200, 'application/json', JSON.stringify({ status: 'up' }))],
    ['/health/ready', async () => readinessOf(await readiness.reasons(), readiness.failing())],
    ['/metrics', checkHost(async () => fresh(200, prometheusText, await metrics.text()))],
    ['/metrics/past', checkHost(async () => fresh(200, 'application/json', history.json()))],
  ])
  const others = checkHost(rest)
  return async (exchange) => {
    const { path } = exchange.target
    const page = pages.get(path)
    if (!page) return others(exchange)
    exchange.routePattern = path
    exchange.isProbe = path.startsWith('/health/')
    return answerUnlessRead(exchange) ?? page(exchange)
  }
}

const prometheusText = 'text/plain; version=0.0.4; charset=utf-8'

const fresh = (status: number, type: string, body: string): Answer => ({
  status,
  headers: ['Content-Type', type, 'Cache-Control', 'no-store'],
  body,
})

/** Whether the service can answer requests. */
const readinessOf = (reasons: readonly string[], failing: readonly string[]): Answer => {
  const isUp = reasons.length === 0
  const state = {
    status: isUp ? 'up' : 'down',
    ...(!isUp && { reasons }),
    ...(failing.length > 0 && { failing }),
  }
  return fresh(isUp ? 200 : 503, 'application/json', JSON.stringify(state))
}

import { answerUnlessRead } from '#http/api/read-only.ts'
import type { Answer, Responder } from '#http/wire/answer.ts'

interface PageContext {
  readonly readiness: Readiness
  /** Refuses requests to host names that are not allowed. Health checks are exempt, because probes use any host name. */
  readonly checkHost: (respond: Responder) => Responder
  readonly metrics: { text(): Promise<string> }
  readonly history: { json(): string }
  readonly otherPages: Responder
}

interface Readiness {
  /** The reasons why the service is not ready. */
  reasons(): Promise<readonly string[]>
  /** The failing background tasks. Operators should look into them, but the service stays ready. */
  failing(): readonly string[]
}

export const management = ({
  readiness,
  checkHost,
  metrics,
  history,
  otherPages,
}: PageContext): Responder => {
  const pages = new Map<string, Responder>([
    ['/health/live', async () => uncachedAnswer(200, 'application/json', JSON.stringify({ status: 'up' }))],
    ['/health/ready', async () => readinessAnswer(await readiness.reasons(), readiness.failing())],
    ['/metrics', checkHost(async () => uncachedAnswer(200, prometheusText, await metrics.text()))],
    ['/metrics/past', checkHost(async () => uncachedAnswer(200, 'application/json', history.json()))],
  ])
  const answerOtherPaths = checkHost(otherPages)
  return async (exchange) => {
    const { path } = exchange.target
    const page = pages.get(path)
    if (!page) return answerOtherPaths(exchange)
    exchange.routePattern = path
    exchange.isProbe = path.startsWith('/health/')
    return answerUnlessRead(exchange) ?? page(exchange)
  }
}

const prometheusText = 'text/plain; version=0.0.4; charset=utf-8'

const uncachedAnswer = (status: number, type: string, body: string): Answer => ({
  status,
  headers: ['Content-Type', type, 'Cache-Control', 'no-store'],
  body,
})

const readinessAnswer = (reasons: readonly string[], failing: readonly string[]): Answer => {
  const isUp = reasons.length === 0
  const state = {
    status: isUp ? 'up' : 'down',
    ...(!isUp && { reasons }),
    ...(failing.length > 0 && { failing }),
  }
  return uncachedAnswer(isUp ? 200 : 503, 'application/json', JSON.stringify(state))
}

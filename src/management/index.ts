import { notFound } from '#core/problem.ts'
import type { Responder } from '#http/api.ts'
import { live, type Readiness, ready } from './health.ts'

export interface ManagementParts {
  readonly readiness: Readiness
  readonly docs: Responder
}

/** What the management listener answers beside the API. */
export const management = ({ readiness, docs }: ManagementParts): Responder => {
  const pages = new Map<string, Responder>([
    ['/health/live', live],
    ['/health/ready', ready(readiness)],
  ])
  return (exchange) => {
    const { path } = exchange.target
    if (path === '/docs' || path.startsWith('/docs/')) return docs(exchange)
    const page = pages.get(path)
    if (!page) throw notFound()
    exchange.place = path
    return page(exchange)
  }
}

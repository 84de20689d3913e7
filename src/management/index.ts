import { notFound } from '#core/problem.ts'
import type { Responder } from '#http/api.ts'
import { live, type Readiness, ready } from './health.ts'

export interface ManagementParts {
  readonly readiness: Readiness
}

/** What the management listener answers beside the API. */
export const management = ({ readiness }: ManagementParts): Responder => {
  const pages = new Map<string, Responder>([
    ['/health/live', live],
    ['/health/ready', ready(readiness)],
  ])
  return (exchange) => {
    const page = pages.get(exchange.target.path)
    if (!page) throw notFound()
    exchange.place = exchange.target.path
    return page(exchange)
  }
}

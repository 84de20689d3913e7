import { type Distribution, distribution, histogramText, labels } from './prometheus.ts'

export const durationBucketsSeconds = [
  0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

interface Series extends Omit<AnsweredRequest, 'ms'> {
  readonly labels: string
  readonly seconds: Distribution
}

export interface AnsweredRequest {
  readonly method: string
  readonly route: string | undefined
  readonly status: number
  readonly ms: number
}

/**
 * The duration of requests by method, route and status. Callers cannot invent any of these, so there are few series. Series are
 * looked up by existing strings, so that counting allocates no string.
 */
export const requestHistogram = () => {
  const seriesByRoute = new Map<string, Map<string, Series[]>>()
  const allSeries: Series[] = []

  const open = (route: string, method: string, status: number): Series => {
    const methods = seriesByRoute.get(route) ?? new Map<string, Series[]>()
    seriesByRoute.set(route, methods)
    const statuses = methods.get(method) ?? []
    methods.set(method, statuses)
    const named = labels({ method, route, status: String(status) })
    const series = { route, method, status, labels: named, seconds: distribution(durationBucketsSeconds) }
    statuses[status] = series
    allSeries.push(series)
    return series
  }
  const find = (route: string, method: string, status: number): Series =>
    seriesByRoute.get(route)?.get(method)?.[status] ?? open(route, method, status)

  return {
    observe: ({ method, route = '-', status, ms }: AnsweredRequest) =>
      find(route, methods.has(method) ? method : otherMethod, status).seconds.observe(ms / 1000),

    /** The totals of the API, without pages, health checks and metrics, and without reads of changes, which may wait. */
    totals() {
      const totals = { reads: 0, writes: 0, clientErrors: 0, serverErrors: 0 }
      const durations = [...durationBucketsSeconds, 0].fill(0)
      for (const { route = '', method, status, seconds } of allSeries) {
        if (uncountedPaths.test(route)) continue
        const cumulativeCounts = seconds.cumulativeCounts()
        const count = cumulativeCounts.at(-1) ?? 0
        totals[method === 'GET' || method === 'HEAD' ? 'reads' : 'writes'] += count
        if (status >= 400) totals[status >= 500 ? 'serverErrors' : 'clientErrors'] += count
        for (const [at, upTo] of cumulativeCounts.entries()) durations[at] = (durations[at] ?? 0) + upTo
      }
      return { ...totals, durations }
    },

    text: (): string =>
      histogramText(
        metric,
        'Duration of requests, from the request head to the last byte of the answer.',
        allSeries.flatMap(({ labels, seconds }) => seconds.lines(metric, labels)),
      ),
  }
}

const otherMethod = 'other'

const metric = 'rollcall_request_duration_seconds'

const uncountedPaths = /^\/($|assets|metrics|health|docs|changes)/

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

import { type Distribution, distribution, histogramText, labels } from './prometheus.ts'

export const secondBounds = [
  0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

interface Series extends Omit<AnsweredRequest, 'ms'> {
  readonly labels: string
  readonly seconds: Distribution
}

export interface AnsweredRequest {
  readonly method: string
  readonly place: string | undefined
  readonly status: number
  readonly ms: number
}

/**
 * The duration of requests by method, route and status. Callers cannot invent one of these, so there are few series. They are
 * looked up by existing strings, so that counting allocates none.
 */
export const requestHistogram = () => {
  const places = new Map<string, Map<string, Series[]>>()
  const all: Series[] = []

  const open = (place: string, method: string, status: number): Series => {
    const methods = places.get(place) ?? new Map<string, Series[]>()
    places.set(place, methods)
    const statuses = methods.get(method) ?? []
    methods.set(method, statuses)
    const named = labels({ method, route: place, status: String(status) })
    const series = { place, method, status, labels: named, seconds: distribution(secondBounds) }
    statuses[status] = series
    all.push(series)
    return series
  }
  const find = (place: string, method: string, status: number): Series =>
    places.get(place)?.get(method)?.[status] ?? open(place, method, status)

  return {
    observe: ({ method, place = '-', status, ms }: AnsweredRequest) =>
      find(place, methods.has(method) ? method : other, status).seconds.observe(ms / 1000),

    /** The totals of the API, without pages and probes of the management listener, and without reads of changes, which may wait. */
    totals() {
      const totals = { reads: 0, writes: 0, clientErrors: 0, serverErrors: 0 }
      const durations = [...secondBounds, 0].fill(0)
      for (const { place = '', method, status, seconds } of all) {
        if (uncountedPaths.test(place)) continue
        const atMost = seconds.atMost()
        const count = atMost.at(-1) ?? 0
        totals[method === 'GET' || method === 'HEAD' ? 'reads' : 'writes'] += count
        if (status >= 400) totals[status >= 500 ? 'serverErrors' : 'clientErrors'] += count
        for (const [at, upTo] of atMost.entries()) durations[at] = (durations[at] ?? 0) + upTo
      }
      return { ...totals, durations }
    },

    text: (): string =>
      histogramText(
        metric,
        'Duration of requests, from the request head to the last byte of the answer.',
        all.flatMap(({ labels, seconds }) => seconds.lines(metric, labels)),
      ),
  }
}

const other = 'other'

const metric = 'rollcall_request_duration_seconds'

const uncountedPaths = /^\/($|assets|metrics|health|docs|changes)/

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

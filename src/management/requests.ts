/** Upper bounds of the buckets, in milliseconds. */
const bounds = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

/** More routes and statuses than there are: what comes beyond is counted as one. */
const seriesLimit = 500

interface Series {
  readonly labels: string
  readonly buckets: Float64Array
  sumMs: number
}

/** What is known of a request when it was answered. */
export interface Answered {
  readonly method: string
  readonly place: string | undefined
  readonly status: number
  readonly ms: number
}

/**
 * How long requests took, by method, route and status. It is fed on the way of every request, so a series is found by
 * texts that are there already: a histogram of prom-client makes its labels anew for each observation.
 */
export const requestHistogram = () => {
  const places = new Map<string, Map<string, Series[]>>()
  const all: Series[] = []

  const open = (place: string, method: string, status: number): Series => {
    if (all.length >= seriesLimit) return find(other, other, 0)
    const methods = places.get(place) ?? new Map<string, Series[]>()
    places.set(place, methods)
    const statuses = methods.get(method) ?? []
    methods.set(method, statuses)
    const labels = labelled(method, place, status)
    const series = { labels, buckets: new Float64Array(bounds.length + 1), sumMs: 0 }
    statuses[status] = series
    all.push(series)
    return series
  }
  const find = (place: string, method: string, status: number): Series =>
    places.get(place)?.get(method)?.[status] ?? open(place, method, status)
  // There before any other, so that it is there when no more may come.
  const rest = open(other, other, 0)

  return {
    observe({ method, place = '-', status, ms }: Answered) {
      const series = find(place, method, status)
      let at = 0
      while (at < bounds.length && ms > (bounds[at] as number)) at++
      series.buckets[at] = (series.buckets[at] ?? 0) + 1
      series.sumMs += ms
    },

    text: (): string => {
      const used = all.filter((series) => series !== rest || rest.buckets.some((count) => count > 0))
      return [...header, ...used.flatMap(lines)].map((line) => `${line}\n`).join('')
    },
  }
}

const other = 'other'

const metric = 'rollcall_request_duration_seconds'

const header = [
  `# HELP ${metric} How long requests took, from their head to the last byte of their answer.`,
  `# TYPE ${metric} histogram`,
]

const labelled = (method: string, place: string, status: number) =>
  `method="${escaped(methods.has(method) ? method : other)}",route="${escaped(place)}",status="${status}"`

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

const escaped = (text: string) => text.replace(/[\\"\n]/g, (met) => (met === '\n' ? '\\n' : `\\${met}`))

const lines = ({ labels, buckets, sumMs }: Series): string[] => {
  let count = 0
  const counted = bounds.map((bound, at) => {
    count += buckets[at] ?? 0
    return `${metric}_bucket{${labels},le="${bound / 1000}"} ${count}`
  })
  count += buckets[bounds.length] ?? 0
  return [
    ...counted,
    `${metric}_bucket{${labels},le="+Inf"} ${count}`,
    `${metric}_sum{${labels}} ${sumMs / 1000}`,
    `${metric}_count{${labels}} ${count}`,
  ]
}

import type { Sample } from '#console/app/api/metrics.ts'

const counters = ['reads', 'writes', 'clientErrors', 'serverErrors', 'commits', 'committedWrites'] as const

type Counts = Readonly<Record<(typeof counters)[number], number>>

export type Measure = keyof Counts | 'p50Ms' | 'p99Ms' | 'lagMeanMs' | 'lagMaxMs'

/** What happened between two snapshots, per second. Null if there was nothing to measure. */
export type Point = Readonly<Record<Measure, number | null>> & { readonly atMs: number }

/** The number of requests that took at most each bound, in seconds. */
type Buckets = ReadonlyMap<number, number>

/** The counters at one time. They only rise, until the service restarts. */
export interface Snapshot {
  readonly atMs: number
  readonly counts: Counts
  readonly durations: Buckets
  readonly lagMeanMs: number
  readonly lagMaxMs: number
}

const requests = 'rollcall_request_duration_seconds'

/** The event-loop histogram counts the 10 ms between its samples as delay. */
const samplingIntervalMs = 10

export const snapshotOf = (samples: readonly Sample[], atMs: number): Snapshot => {
  const apiSamples = samples.filter(
    ({ name, labels }) => name.startsWith(requests) && isApiRoute(labels.route),
  )
  const count = (fits: (labels: Sample['labels']) => boolean) =>
    sum(apiSamples.filter(({ name, labels }) => name === `${requests}_count` && fits(labels)))
  const total = (name: string) => sum(samples.filter((sample) => sample.name === name))
  const lag = (kind: string) =>
    Math.max(0, total(`nodejs_eventloop_lag_${kind}_seconds`) * 1000 - samplingIntervalMs)
  return {
    atMs,
    counts: {
      reads: count(isRead),
      writes: count((labels) => !isRead(labels)),
      clientErrors: count(({ status = '' }) => status.startsWith('4')),
      serverErrors: count(({ status = '' }) => status.startsWith('5')),
      commits: total('rollcall_commit_writes_count'),
      committedWrites: total('rollcall_commit_writes_sum'),
    },
    durations: bucketsOf(apiSamples),
    lagMeanMs: lag('mean'),
    lagMaxMs: lag('max'),
  }
}

/** The console's own requests are in the metrics too, but are not the service's work. */
const isApiRoute = (route = '') => !/^\/($|assets|metrics|health|docs)/.test(route)

const isRead = ({ method }: Sample['labels']) => method === 'GET' || method === 'HEAD'

/** The mean of nothing is written as NaN. */
const sum = (samples: readonly Sample[]) =>
  samples.reduce((all, { value }) => all + (Number.isFinite(value) ? value : 0), 0)

const bucketsOf = (samples: readonly Sample[]): Buckets => {
  const buckets = new Map<number, number>()
  for (const { name, labels, value } of samples) {
    if (!name.endsWith('_bucket')) continue
    const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le)
    buckets.set(bound, (buckets.get(bound) ?? 0) + value)
  }
  return buckets
}

/** Undefined if the service restarted between the two. */
export const pointBetween = (before: Snapshot, after: Snapshot): Point | undefined => {
  const seconds = (after.atMs - before.atMs) / 1000
  const risen = counters.map((name) => [name, (after.counts[name] - before.counts[name]) / seconds] as const)
  if (seconds <= 0 || risen.some(([, perSecond]) => perSecond < 0)) return undefined
  const durations = new Map(
    [...after.durations].map(([bound, count]) => [bound, count - (before.durations.get(bound) ?? 0)]),
  )
  return {
    ...(Object.fromEntries(risen) as Counts),
    atMs: after.atMs,
    p50Ms: quantileMs(durations, 0.5),
    p99Ms: quantileMs(durations, 0.99),
    lagMeanMs: after.lagMeanMs,
    lagMaxMs: after.lagMaxMs,
  }
}

/** A quantile, interpolated linearly within its bucket, as in Prometheus. */
const quantileMs = (buckets: Buckets, quantile: number): number | null => {
  const bounds = [...buckets].sort(([a], [b]) => a - b)
  const total = bounds.at(-1)?.[1] ?? 0
  if (total === 0) return null
  const rank = quantile * total
  let [lower, below] = [0, 0]
  for (const [bound, count] of bounds) {
    if (count >= rank) {
      const part = (rank - below) / Math.max(count - below, 1e-9)
      return (bound === Number.POSITIVE_INFINITY ? lower : lower + (bound - lower) * part) * 1000
    }
    lower = bound
    below = count
  }
  return lower * 1000
}

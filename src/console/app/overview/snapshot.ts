import type { Sample } from '#console/app/api/metrics.ts'

/** The number of requests that took at most each bound, in seconds. */
export type Buckets = ReadonlyMap<number, number>

/** The counters at one time. They only rise, until the service restarts. */
export interface Snapshot {
  readonly atMs: number
  readonly reads: number
  readonly writes: number
  readonly clientErrors: number
  readonly serverErrors: number
  readonly durations: Buckets
  readonly commits: number
  readonly committedWrites: number
  readonly storageErrors: number
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
  return {
    atMs,
    reads: count(isRead),
    writes: count((labels) => !isRead(labels)),
    clientErrors: count(({ status = '' }) => status.startsWith('4')),
    serverErrors: count(({ status = '' }) => status.startsWith('5')),
    durations: bucketsOf(apiSamples),
    commits: total('rollcall_commit_writes_count'),
    committedWrites: total('rollcall_commit_writes_sum'),
    storageErrors: total('rollcall_storage_errors_total'),
    lagMeanMs: lag(total('nodejs_eventloop_lag_mean_seconds')),
    lagMaxMs: lag(total('nodejs_eventloop_lag_max_seconds')),
  }
}

/** The console's own requests are in the metrics too, but are not the service's work. */
const isApiRoute = (route = '') => !/^\/($|assets|metrics|health|docs)/.test(route)

const isRead = ({ method }: Sample['labels']) => method === 'GET' || method === 'HEAD'

/** The mean of nothing is written as NaN. */
const sum = (samples: readonly Sample[]) =>
  samples.reduce((all, { value }) => all + (Number.isFinite(value) ? value : 0), 0)

const lag = (seconds: number) => Math.max(0, seconds * 1000 - samplingIntervalMs)

const bucketsOf = (samples: readonly Sample[]): Buckets => {
  const buckets = new Map<number, number>()
  for (const { name, labels, value } of samples) {
    if (!name.endsWith('_bucket')) continue
    const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le)
    buckets.set(bound, (buckets.get(bound) ?? 0) + value)
  }
  return buckets
}

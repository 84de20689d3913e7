import type { Sample } from '#console/app/api/metrics.ts'

/** How many requests took at most so many seconds, by that bound. */
export type Buckets = ReadonlyMap<number, number>

/** What the counters stood at, at one time. They only rise, until the service is started again. */
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

/** The histogram of the loop counts the 10 ms between its looks as delay. */
const lookEveryMs = 10

export const snapshotOf = (samples: readonly Sample[], atMs: number): Snapshot => {
  const ofApi = samples.filter(({ name, labels }) => name.startsWith(requests) && isOfApi(labels.route))
  const count = (fits: (labels: Sample['labels']) => boolean) =>
    sum(ofApi.filter(({ name, labels }) => name === `${requests}_count` && fits(labels)))
  const total = (name: string) => sum(samples.filter((sample) => sample.name === name))
  return {
    atMs,
    reads: count(isRead),
    writes: count((labels) => !isRead(labels)),
    clientErrors: count(({ status = '' }) => status.startsWith('4')),
    serverErrors: count(({ status = '' }) => status.startsWith('5')),
    durations: bucketsOf(ofApi),
    commits: total('rollcall_commit_writes_count'),
    committedWrites: total('rollcall_commit_writes_sum'),
    storageErrors: total('rollcall_storage_errors_total'),
    lagMeanMs: lag(total('nodejs_eventloop_lag_mean_seconds')),
    lagMaxMs: lag(total('nodejs_eventloop_lag_max_seconds')),
  }
}

/** The console looks at itself as well; that is no work of the service. */
const isOfApi = (route = '') => !/^\/($|assets|metrics|health|docs)/.test(route)

const isRead = ({ method }: Sample['labels']) => method === 'GET' || method === 'HEAD'

/** A mean of nothing is written as NaN. */
const sum = (samples: readonly Sample[]) =>
  samples.reduce((all, { value }) => all + (Number.isFinite(value) ? value : 0), 0)

const lag = (seconds: number) => Math.max(0, seconds * 1000 - lookEveryMs)

const bucketsOf = (samples: readonly Sample[]): Buckets => {
  const buckets = new Map<number, number>()
  for (const { name, labels, value } of samples) {
    if (!name.endsWith('_bucket')) continue
    const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le)
    buckets.set(bound, (buckets.get(bound) ?? 0) + value)
  }
  return buckets
}

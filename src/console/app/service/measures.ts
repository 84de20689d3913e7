import { type Counts, counters, type MetricsHistory, type Reading } from '#console/app/api/metrics.ts'

export type Measure = keyof Counts | 'p50Ms' | 'p99Ms' | 'lagMeanMs' | 'lagMaxMs'

/** The measures between two readings. Rates are per second. A measure is null if there was nothing to measure. */
export type MetricPoint = Readonly<Record<Measure, number | null>> & { readonly atMs: number }

/** Stored readings less than this before the newest one are left out, because a rate over so short a time says nothing. */
const minIntervalMs = 5_000

export const pointsOf = ({ secondBounds, readings }: MetricsHistory): readonly MetricPoint[] => {
  const now = readings.at(-1)
  const drawn = readings.filter((one) => one === now || (now && now.atMs - one.atMs >= minIntervalMs))
  return drawn.flatMap((after, index) => {
    const before = drawn[index - 1]
    return before ? [pointBetween(before, after, secondBounds)] : []
  })
}

const pointBetween = (before: Reading, after: Reading, secondBounds: readonly number[]): MetricPoint => {
  const seconds = (after.atMs - before.atMs) / 1000
  const rates = counters.map((name) => [name, (after[name] - before[name]) / seconds])
  const durations = after.durations.map((count, index) => count - (before.durations[index] ?? 0))
  return {
    ...(Object.fromEntries(rates) as Counts),
    atMs: after.atMs,
    p50Ms: quantileMs(durations, secondBounds, 0.5),
    p99Ms: quantileMs(durations, secondBounds, 0.99),
    lagMeanMs: after.lagMeanMs,
    lagMaxMs: after.lagMaxMs,
  }
}

/** A quantile, interpolated linearly within its bucket, as in Prometheus. Values beyond the last bound count as that bound. */
const quantileMs = (
  durations: readonly number[],
  bounds: readonly number[],
  quantile: number,
): number | null => {
  const total = durations.at(-1) ?? 0
  if (total === 0) return null
  const rank = quantile * total
  const at = durations.findIndex((count) => count >= rank)
  const [lower = 0, below = 0] = [bounds[at - 1], durations[at - 1]]
  const [upper = lower, count = below] = [bounds[at], durations[at]]
  return (lower + ((upper - lower) * (rank - below)) / Math.max(count - below, 1e-9)) * 1000
}

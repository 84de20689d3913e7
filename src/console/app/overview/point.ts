import type { Buckets, Snapshot } from './snapshot.ts'

/** What happened between two snapshots. Null if there was nothing to measure. */
export interface Point {
  readonly atMs: number
  readonly reads: number
  readonly writes: number
  readonly clientErrors: number
  readonly serverErrors: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly commits: number
  readonly committedWrites: number
  readonly storageErrors: number
  readonly lagMeanMs: number
  readonly lagMaxMs: number
}

/** Undefined if the service restarted between the two. */
export const pointBetween = (before: Snapshot, after: Snapshot): Point | undefined => {
  const seconds = (after.atMs - before.atMs) / 1000
  const perSecond = (name: 'reads' | 'writes' | 'commits' | 'committedWrites') =>
    (after[name] - before[name]) / seconds
  if (after.reads < before.reads || after.writes < before.writes || seconds <= 0) return undefined
  const durations = difference(before.durations, after.durations)
  return {
    atMs: after.atMs,
    reads: perSecond('reads'),
    writes: perSecond('writes'),
    clientErrors: ((after.clientErrors - before.clientErrors) / seconds) * 60,
    serverErrors: ((after.serverErrors - before.serverErrors) / seconds) * 60,
    p50Ms: quantileMs(durations, 0.5),
    p99Ms: quantileMs(durations, 0.99),
    commits: perSecond('commits'),
    committedWrites: perSecond('committedWrites'),
    storageErrors: after.storageErrors - before.storageErrors,
    lagMeanMs: after.lagMeanMs,
    lagMaxMs: after.lagMaxMs,
  }
}

const difference = (before: Buckets, after: Buckets): Buckets =>
  new Map([...after].map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)]))

/** A quantile, interpolated linearly within its bucket, as in Prometheus. */
const quantileMs = (buckets: Buckets, quantile: number): number | null => {
  const bounds = [...buckets].sort(([a], [b]) => a - b)
  const total = bounds.at(-1)?.[1] ?? 0
  if (total === 0) return null
  const rank = quantile * total
  let lower = 0
  let below = 0
  for (const [bound, count] of bounds) {
    if (count >= rank) {
      if (bound === Number.POSITIVE_INFINITY) return lower * 1000
      return (lower + ((bound - lower) * (rank - below)) / Math.max(count - below, 1e-9)) * 1000
    }
    lower = bound
    below = count
  }
  return lower * 1000
}

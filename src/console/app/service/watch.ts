import type { ReadOptions } from '#console/app/api/ask.ts'
import { readMetrics } from '#console/app/api/metrics.ts'
import { useLoad } from '#console/app/state/load.ts'
import { type Point, pointBetween, type Snapshot, snapshotOf } from './measures.ts'

export const pollIntervalMs = 2_000
export const windowMs = 300_000

interface Watched {
  readonly isAbsent: boolean
  readonly points: readonly Point[]
}

/** Outlives the page, so that a returning user finds the last minutes. */
let watched: Watched = { isAbsent: false, points: [] }

let last: Snapshot | undefined

/** What the metrics of the service have been. Where they could not be read, there is a gap. */
export const useWatch = (): Watched =>
  useLoad('metrics', readNext, { everyMs: pollIntervalMs }).value ?? watched

const readNext = async (options: ReadOptions): Promise<Watched> => {
  const samples = await readMetrics(options)
  if (samples === undefined) {
    watched = { isAbsent: true, points: [] }
    return watched
  }
  const next = snapshotOf(samples, Date.now())
  const point = last && pointBetween(last, next)
  last = next
  // A clock that was set back leaves points in the future.
  const kept = watched.points.filter(({ atMs }) => atMs > next.atMs - windowMs && atMs < next.atMs)
  watched = { isAbsent: false, points: point ? [...kept, point] : kept }
  return watched
}

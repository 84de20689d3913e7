import type { ReadOptions } from '#console/app/api/ask.ts'
import { readPast } from '#console/app/api/metrics.ts'
import { useLoad } from '#console/app/state/load.ts'
import { type Point, pointsOf } from './measures.ts'

const everyMs = 5_000

interface Watched {
  readonly isAbsent: boolean
  readonly points: readonly Point[]
}

/** How the service did in the past hour. */
export const useWatch = (): Watched =>
  useLoad('past', readPoints, { everyMs }).value ?? { isAbsent: false, points: [] }

const readPoints = async (options: ReadOptions): Promise<Watched> => {
  const past = await readPast(options)
  return { isAbsent: past === undefined, points: past ? pointsOf(past) : [] }
}

import { median } from '#lab/median.ts'
import type { Leg } from './leg.ts'

/** A median, and between which two measured values the true one lies. */
export interface Interval {
  readonly median: number
  readonly low: number
  readonly high: number
}

const maxError = 0.05

/** The values that enclose the true median with 95 % certainty, however they scatter. Fewer than six give their range. */
export const intervalOf = (values: readonly number[]): Interval => {
  const sorted = values.toSorted((a, b) => a - b)
  const cut = outsiders(sorted.length)
  const [low = Number.NaN, high = Number.NaN] = [sorted[cut], sorted.at(-1 - cut)]
  return { median: median(sorted), low, high }
}

/** How many values at each end can be left out, by the binomial distribution: the median is beyond them in 5 % of cases at most. */
const outsiders = (count: number) => {
  let chance = 0.5 ** count
  let sum = chance
  let few = 0
  for (; 2 * sum <= maxError; sum += chance) {
    few++
    chance *= (count - few + 1) / few
  }
  return Math.max(0, few - 1)
}

/** The figures of a service over its legs: medians, and the most memory. */
export interface Figure {
  readonly perSecond: Interval
  readonly p50Ms: number
  readonly p99Ms: Interval
  readonly cpuUs: number
  readonly writtenBytes: number
  readonly residentBytes: number
}

export type Figures = (peer: string, workload: string) => Figure | undefined

export const figuresOf = (legs: readonly Leg[]): Figures => {
  const groups = Map.groupBy(legs, ({ peer, workload }) => `${peer} ${workload}`)
  return (peer, workload) => {
    const group = groups.get(`${peer} ${workload}`)
    if (!group) return undefined
    const over = (pick: (leg: Leg) => number) => intervalOf(group.map(pick))
    return {
      perSecond: over(({ perSecond }) => perSecond),
      p50Ms: over(({ p50Ms }) => p50Ms).median,
      p99Ms: over(({ p99Ms }) => p99Ms),
      cpuUs: over(({ cpuUs }) => cpuUs).median,
      writtenBytes: over(({ writtenBytes }) => writtenBytes).median,
      residentBytes: Math.max(...group.map(({ residentBytes }) => residentBytes)),
    }
  }
}

export interface Series {
  readonly peer: string
  readonly workload: string
}

/** The ratio of requests a second, from the ratios within each lap. */
export const ratioOf = (legs: readonly Leg[], one: Series, other: Series): Interval | undefined => {
  const rates = (each: Series) =>
    legs.filter(({ peer, workload }) => peer === each.peer && workload === each.workload)
  const others = new Map(rates(other).map(({ lap, perSecond }) => [lap, perSecond]))
  const ratios = rates(one).flatMap(({ lap, perSecond }) => {
    const otherRate = others.get(lap)
    return otherRate === undefined ? [] : perSecond / otherRate
  })
  return ratios.length === 0 ? undefined : intervalOf(ratios)
}

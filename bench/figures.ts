import type { Sample } from './turns.ts'

export const median = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export interface Figure {
  readonly perSecond: number
  readonly least: number
  readonly most: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
  readonly writtenBytes: number
  /** The most of all turns. */
  readonly residentBytes: number
}

export type Figures = (peer: string, workload: string) => Figure | undefined

/** The medians over the turns. */
export const figuresOf = (samples: readonly Sample[]): Figures => {
  const grouped = Map.groupBy(samples, ({ peer, workload }) => `${peer} ${workload}`)
  return (peer, workload) => {
    const group = grouped.get(`${peer} ${workload}`)
    if (!group) return undefined
    const of = (field: 'perSecond' | 'p50Ms' | 'p99Ms' | 'cpuUs' | 'writtenBytes' | 'residentBytes') =>
      group.map((each) => each[field])
    return {
      perSecond: median(of('perSecond')),
      least: Math.min(...of('perSecond')),
      most: Math.max(...of('perSecond')),
      p50Ms: median(of('p50Ms')),
      p99Ms: median(of('p99Ms')),
      cpuUs: median(of('cpuUs')),
      writtenBytes: median(of('writtenBytes')),
      residentBytes: Math.max(...of('residentBytes')),
    }
  }
}

export interface Measured {
  readonly peer: string
  readonly workload: string
}

/** How many times as many requests a second: the median of what each turn says by itself. */
export const ratioOf = (samples: readonly Sample[], one: Measured, other: Measured): number | undefined => {
  const rates = (each: Measured) =>
    samples.filter(({ peer, workload }) => peer === each.peer && workload === each.workload)
  const others = new Map(rates(other).map(({ turn, perSecond }) => [turn, perSecond]))
  const ratios = rates(one).flatMap(({ turn, perSecond }) => {
    const beside = others.get(turn)
    return beside === undefined ? [] : perSecond / beside
  })
  return ratios.length === 0 ? undefined : median(ratios)
}

import { median } from '#lab/median.ts'
import type { Solo } from './solo.ts'
import type { Sample } from './turns.ts'

/** What a service did side by side with the others. */
export interface Figure {
  readonly perSecond: number
  readonly min: number
  readonly max: number
}

export type Figures = (peer: string, workload: string) => Figure | undefined

/** Medians, and the minimum and maximum of the turns. */
export const figuresOf = (samples: readonly Sample[]): Figures => {
  const groupOf = grouped(samples)
  return (peer, workload) => {
    const group = groupOf(peer, workload)
    if (!group) return undefined
    const medianRate = (some: readonly Sample[]) => median(some.map(({ perSecond }) => perSecond))
    const turns = [...Map.groupBy(group, ({ turn }) => turn).values()].map(medianRate)
    return { perSecond: medianRate(group), min: Math.min(...turns), max: Math.max(...turns) }
  }
}

export type Costs = (
  peer: string,
  workload: string,
) => Omit<Solo, 'peer' | 'workload' | 'turn' | 'lap'> | undefined

/** What a service did alone: medians, and the most memory. */
export const costsOf = (solos: readonly Solo[]): Costs => {
  const groupOf = grouped(solos)
  return (peer, workload) => {
    const group = groupOf(peer, workload)
    if (!group) return undefined
    const medianOf = (pick: (solo: Solo) => number) => median(group.map(pick))
    return {
      perSecond: medianOf(({ perSecond }) => perSecond),
      p50Ms: medianOf(({ p50Ms }) => p50Ms),
      p99Ms: medianOf(({ p99Ms }) => p99Ms),
      cpuUs: medianOf(({ cpuUs }) => cpuUs),
      writtenBytes: medianOf(({ writtenBytes }) => writtenBytes),
      residentBytes: Math.max(...group.map(({ residentBytes }) => residentBytes)),
    }
  }
}

const grouped = <T extends Measured>(all: readonly T[]) => {
  const groups = Map.groupBy(all, ({ peer, workload }) => `${peer} ${workload}`)
  return (peer: string, workload: string) => groups.get(`${peer} ${workload}`)
}

export interface Measured {
  readonly peer: string
  readonly workload: string
}

/** How many times as many requests a second: the median of the ratios within each lap. */
export const ratioOf = (samples: readonly Sample[], one: Measured, other: Measured): number | undefined => {
  const rates = (each: Measured) =>
    samples.filter(({ peer, workload }) => peer === each.peer && workload === each.workload)
  const others = new Map(rates(other).map((sample) => [lapOf(sample), sample.perSecond]))
  const ratios = rates(one).flatMap((sample) => {
    const { perSecond } = sample
    const otherRate = others.get(lapOf(sample))
    return otherRate === undefined ? [] : perSecond / otherRate
  })
  return ratios.length === 0 ? undefined : median(ratios)
}

const lapOf = ({ turn, lap }: Sample) => `${turn} ${lap}`

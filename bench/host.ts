import { cpus } from 'node:os'
import { stolenMs } from './usage.ts'

/** Of the time of all cores: more makes a service that is measured by itself look slow. */
export const mostStolen = 0.01
const mostTimes = 8

/** What the host of a virtual machine gave to others while it was measured, as shares of the time of all cores. */
export interface Stolen {
  readonly shares: readonly number[]
  /** How often something was measured again. */
  readonly again: number
}

/** Measures, and keeps in mind how much of this machine its host gave to others meanwhile. */
export const watchHost = (patienceMs: number) => {
  let leftMs = patienceMs
  let again = 0
  const shares: number[] = []
  return {
    async watched<T>(measure: () => Promise<T>): Promise<T> {
      const { value, share } = await watched(measure)
      shares.push(share)
      return value
    },

    /** Again and again until nothing was stolen, as long as there is patience; what was stolen from least counts. */
    async undisturbed<T>(measure: () => Promise<T>): Promise<T> {
      let best = await watched(measure)
      for (let time = 1; time < mostTimes && best.share > mostStolen && leftMs > 0; time++) {
        const next = await watched(measure)
        again++
        leftMs -= next.ms
        if (next.share < best.share) best = next
      }
      shares.push(best.share)
      return best.value
    },
    stolen: (): Stolen => ({ shares, again }),
  }
}

export type Host = ReturnType<typeof watchHost>

const watched = async <T>(measure: () => Promise<T>) => {
  const begun = performance.now()
  const before = stolenMs()
  const value = await measure()
  const ms = performance.now() - begun
  return { value, ms, share: (stolenMs() - before) / ms / cpus().length }
}

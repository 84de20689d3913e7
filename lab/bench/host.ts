import { once } from 'node:events'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnOn } from './server.ts'
import { stealMs } from './usage.ts'

/** A share of the time of all cores. If more is stolen, a service measured alone looks slow. */
export const maxSteal = 0.01
const maxAttempts = 8

/** The host is probed with work, a fifth of a second on each core: it takes nothing from a machine that wants no processor. */
const probeScript = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
/** Steal is reported in clock ticks; one is two or three hundredths of a probe. */
const maxProbeSteal = 0.04
const probeIntervalMs = 2_000

/** CPU time that the host of a virtual machine gave to other machines, as shares of the time of all cores. */
export interface StealTime {
  readonly shares: readonly number[]
  /** How often something was measured again. */
  readonly again: number
  /** The total time spent waiting for the host to leave this machine alone. */
  readonly waitedMs: number
}

/** Measures while the host steals no CPU time, waits for that up to the given time, and records what was stolen. */
export const watchHost = (patienceMs: number) => {
  let leftMs = patienceMs
  let again = 0
  let waitedMs = 0
  const shares: number[] = []

  const untilQuiet = async () => {
    while (leftMs > 0) {
      const { share, ms } = await measureSteal(probeAllCores)
      if (share <= maxProbeSteal) return
      await sleep(probeIntervalMs)
      leftMs -= ms + probeIntervalMs
      waitedMs += ms + probeIntervalMs
    }
  }

  return {
    async watched<T>(measure: () => Promise<T>): Promise<T> {
      await untilQuiet()
      const { value, share } = await measureSteal(measure)
      shares.push(share)
      return value
    },

    /** Repeats while too much is stolen and there is patience; the measurement with the least steal counts. */
    async undisturbed<T>(measure: () => Promise<T>): Promise<T> {
      await untilQuiet()
      let best = await measureSteal(measure)
      for (let time = 1; time < maxAttempts && best.share > maxSteal && leftMs > 0; time++) {
        await untilQuiet()
        const next = await measureSteal(measure)
        again++
        leftMs -= next.ms
        if (next.share < best.share) best = next
      }
      shares.push(best.share)
      return best.value
    },
    stolen: (): StealTime => ({ shares, again, waitedMs }),
  }
}

export type Host = ReturnType<typeof watchHost>

const measureSteal = async <T>(measure: () => Promise<T>) => {
  const startedAtMs = performance.now()
  const before = stealMs()
  const value = await measure()
  const ms = performance.now() - startedAtMs
  return { value, ms, share: (stealMs() - before) / ms / cpus().length }
}

const probeAllCores = () => Promise.all(cpus().map((_, core) => probeCore(core)))

const probeCore = (core: number) => once(spawnOn(core, ['sh', '-c', probeScript], {}), 'exit')

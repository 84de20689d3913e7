import { setTimeout as sleep } from 'node:timers/promises'
import { beginLoad, type Load, type Outcome, type RunningLoad } from './load.ts'
import type { Running } from './server.ts'
import { stolenMs } from './usage.ts'

export interface Runner {
  readonly server: Running
  readonly load: Load
}

/** What one of them did while it ran: how much in each lap, where the host left its leg alone. */
export interface Run {
  readonly outcome: Outcome
  readonly perSecond: readonly (number | undefined)[]
}

export interface Course {
  readonly laps: number
  /** Where the host takes processors away, for as many legs that it left alone. */
  readonly mostLaps: number
  /** How long each runs in each lap. */
  readonly legMs: number
}

const longestSilenceMs = 250

/**
 * All services under load in one stretch, of which one runs at a time and the others wait: legs so short that whatever
 * the machine does meanwhile, it does to all of them. Who came last in one lap begins the next.
 */
export const relay = async (
  runners: readonly Runner[],
  { laps, mostLaps, legMs }: Course,
): Promise<readonly (Run | Error)[]> => {
  const lanes = runners.map((runner) => laneOf(runner, legMs))
  const isEnough = () => lanes.every(({ undisturbedLegs }) => undisturbedLegs() >= laps)
  try {
    for (let lap = 0; lap < mostLaps && !isEnough(); lap++)
      for (const lane of lap % 2 === 0 ? lanes : lanes.toReversed()) {
        await lane.run()
        // Who waited for others to end would lose its connections.
        if (lap === mostLaps - 1) await lane.end()
      }
    const runs: (Run | Error)[] = []
    for (const lane of lanes) runs.push(await lane.end())
    return runs
  } finally {
    // A load that pauses would pause for ever.
    for (const lane of lanes) lane.kill()
  }
}

interface Leg {
  readonly sent: number
  readonly ms: number
  /** Of which the host gave nothing to others. */
  readonly isUndisturbed: boolean
}

/** Its load begins with its first leg. */
const laneOf = ({ server, load }: Runner, legMs: number) => {
  const legs: Leg[] = []
  let running: RunningLoad | undefined
  const goOn = async () => {
    if (running) running.goOn()
    else running = await beginLoad(load)
    return running
  }
  const finish = async (): Promise<Run> => {
    if (!running) throw new Error('it did not run')
    const outcome = await running.end()
    await silence(server)
    return { outcome, perSecond: ratesOf(legs, outcome) }
  }
  let ended: Promise<Run | Error> | undefined
  return {
    async run() {
      const sentBefore = running?.sent() ?? 0
      const stolenBefore = stolenMs()
      const now = await goOn()
      const begun = performance.now()
      await sleep(legMs)
      now.pause()
      await silence(server)
      const ms = performance.now() - begun
      legs.push({ sent: (now.sent() ?? 0) - sentBefore, ms, isUndisturbed: stolenMs() === stolenBefore })
    },
    undisturbedLegs: () => undisturbedOf(legs).length,
    /** Once; asked again it tells the same. */
    end(): Promise<Run | Error> {
      ended ??= finish().catch((error: Error) => error)
      return ended
    },
    kill: () => running?.kill(),
  }
}

const undisturbedOf = (legs: readonly Leg[]) => legs.filter(({ isUndisturbed }) => isUndisturbed)

/** Where none was left alone all count; where nobody tells what was sent in each, they share what was sent in all. */
const ratesOf = (legs: readonly Leg[], { requests }: Outcome) => {
  const isTold = legs.some(({ sent }) => sent > 0)
  const allMs = legs.reduce((sum, { ms }) => sum + ms, 0)
  const rateOf = ({ sent, ms }: Leg) => (isTold ? sent / ms : requests / allMs) * 1000
  const counted = undisturbedOf(legs).length > 0 ? undisturbedOf(legs) : legs
  return legs.map((leg) => (counted.includes(leg) ? rateOf(leg) : undefined))
}

/** The next one begins when this one has done what it was asked; the time for that is this one's. */
const silence = async ({ isBusy }: Running) => {
  const until = performance.now() + longestSilenceMs
  while (isBusy() && performance.now() < until) await sleep(1)
}

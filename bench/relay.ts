import { setTimeout as sleep } from 'node:timers/promises'
import { beginLoad, type Load, type Outcome } from './load.ts'
import type { Running } from './server.ts'
import { stolenMs } from './usage.ts'

export interface Runner {
  readonly server: Running
  readonly load: Load
}

/** What one of them did while it ran. */
export interface Run {
  readonly outcome: Outcome
  readonly perSecond: number
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
  const lanes: Lane[] = []
  const isEnough = () => lanes.every(({ undisturbedLegs }) => undisturbedLegs() >= laps)
  try {
    for (const runner of runners) lanes.push(await openLane(runner, legMs))
    for (let lap = 0; lap < mostLaps && !isEnough(); lap++)
      for (const lane of lap % 2 === 0 ? lanes : lanes.toReversed()) await lane.run()
    const runs: (Run | Error)[] = []
    for (const lane of lanes) runs.push(await lane.end().catch((error: Error) => error))
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

type Lane = Awaited<ReturnType<typeof openLane>>

/** Its load is on, and pauses. */
const openLane = async ({ server, load }: Runner, legMs: number) => {
  const legs: Leg[] = []
  const running = await beginLoad(load)
  const pause = async () => {
    running.pause()
    await silence(server)
  }
  await pause()
  return {
    async run() {
      const begun = performance.now()
      const stolenBefore = stolenMs()
      const sentBefore = running.sent() ?? 0
      running.goOn()
      await sleep(legMs)
      await pause()
      legs.push({
        sent: (running.sent() ?? 0) - sentBefore,
        ms: performance.now() - begun,
        isUndisturbed: stolenMs() === stolenBefore,
      })
    },
    undisturbedLegs: () => undisturbedOf(legs).length,
    async end(): Promise<Run> {
      const outcome = await running.end()
      await silence(server)
      return { outcome, perSecond: rateOf(legs, outcome) }
    },
    kill: running.kill,
  }
}

const undisturbedOf = (legs: readonly Leg[]) => legs.filter(({ isUndisturbed }) => isUndisturbed)

/** Of the legs that were left alone; of all where none was, or where nobody tells what was sent. */
const rateOf = (legs: readonly Leg[], { requests }: Outcome) => {
  const rateOver = (some: readonly Leg[]) => (sum(some, 'sent') / sum(some, 'ms')) * 1000
  return rateOver(undisturbedOf(legs)) || rateOver(legs) || (requests / sum(legs, 'ms')) * 1000
}

const sum = (legs: readonly Leg[], field: 'sent' | 'ms') => legs.reduce((total, leg) => total + leg[field], 0)

/** The next one begins when this one has done what it was asked; the time for that is this one's. */
const silence = async ({ isBusy }: Running) => {
  const until = performance.now() + longestSilenceMs
  while (isBusy() && performance.now() < until) await sleep(1)
}

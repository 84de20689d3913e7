import { setTimeout as sleep } from 'node:timers/promises'
import { beginLoad, type Load, type Outcome, type RunningLoad } from './load.ts'
import type { Running } from './server.ts'
import { stolenMs } from './usage.ts'

export interface Runner {
  readonly server: Running
  readonly load: Load
}

/** What one service did while it ran, with its rate in each lap whose leg the host left alone. */
export interface Run {
  readonly outcome: Outcome
  readonly perSecond: readonly (number | undefined)[]
}

export interface Course {
  readonly laps: number
  /** The limit if the host takes processors away: laps go on until enough legs were left alone. */
  readonly maxLaps: number
  /** How long each runs in each lap. */
  readonly legMs: number
}

const maxSilenceWaitMs = 250

/**
 * Loads all services in one stretch. One runs at a time while the others wait, in legs so short that whatever the machine does,
 * it does to all of them. The last service of a lap is the first of the next.
 */
export const relay = async (
  runners: readonly Runner[],
  { laps, maxLaps, legMs }: Course,
): Promise<readonly (Run | Error)[]> => {
  const lanes = runners.map((runner) => laneOf(runner, legMs))
  const isEnough = () => lanes.every(({ undisturbedLegs }) => undisturbedLegs() >= laps)
  try {
    for (let lap = 0; lap < maxLaps && !isEnough(); lap++)
      for (const lane of lap % 2 === 0 ? lanes : lanes.toReversed()) {
        await lane.run()
        // While it waited for the others to end, it would lose its connections.
        if (lap === maxLaps - 1) await lane.end()
      }
    const runs: (Run | Error)[] = []
    for (const lane of lanes) runs.push(await lane.end())
    return runs
  } finally {
    // A paused load would stay paused for ever.
    for (const lane of lanes) lane.kill()
  }
}

interface Leg {
  readonly sent: number
  readonly ms: number
  /** Whether the host gave nothing of it to others. */
  readonly isUndisturbed: boolean
}

/** The load begins with the first leg. */
const laneOf = ({ server, load }: Runner, legMs: number) => {
  const legs: Leg[] = []
  let running: RunningLoad | undefined
  const resume = async () => {
    if (running) running.resume()
    else running = await beginLoad(load)
    return running
  }
  const finish = async (): Promise<Run> => {
    if (!running) throw new Error('it did not run')
    const outcome = await running.end()
    await untilSilent(server)
    return { outcome, perSecond: ratesOf(legs, outcome) }
  }
  let ended: Promise<Run | Error> | undefined
  return {
    async run() {
      const sentBefore = running?.sent() ?? 0
      const stolenBefore = stolenMs()
      const now = await resume()
      const startedAtMs = performance.now()
      await sleep(legMs)
      now.pause()
      await untilSilent(server)
      const ms = performance.now() - startedAtMs
      legs.push({ sent: (now.sent() ?? 0) - sentBefore, ms, isUndisturbed: stolenMs() === stolenBefore })
    },
    undisturbedLegs: () => undisturbedOf(legs).length,
    /** Ends once; further calls return the same result. */
    end(): Promise<Run | Error> {
      ended ??= finish().catch((error: Error) => error)
      return ended
    },
    kill: () => running?.kill(),
  }
}

const undisturbedOf = (legs: readonly Leg[]) => legs.filter(({ isUndisturbed }) => isUndisturbed)

/** If no leg was left alone, all count. If the requests per leg are unknown, every leg gets the overall rate. */
const ratesOf = (legs: readonly Leg[], { requests }: Outcome) => {
  const hasCounts = legs.some(({ sent }) => sent > 0)
  const allMs = legs.reduce((sum, { ms }) => sum + ms, 0)
  const rateOf = ({ sent, ms }: Leg) => (hasCounts ? sent / ms : requests / allMs) * 1000
  const counted = undisturbedOf(legs).length > 0 ? undisturbedOf(legs) : legs
  return legs.map((leg) => (counted.includes(leg) ? rateOf(leg) : undefined))
}

/** Waits until the service has finished its pending work, so that this time counts as its own and not the next one's. */
const untilSilent = async ({ isBusy }: Running) => {
  const until = performance.now() + maxSilenceWaitMs
  while (isBusy() && performance.now() < until) await sleep(1)
}

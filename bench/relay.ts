import { setTimeout as sleep } from 'node:timers/promises'
import { beginLoad, type Load, type Outcome, type RunningLoad } from './load.ts'
import type { Running } from './server.ts'

export interface Runner {
  readonly server: Running
  readonly load: Load
}

/** What one of them did while it ran. */
export interface Run {
  readonly outcome: Outcome
  readonly ranMs: number
}

export interface Course {
  readonly laps: number
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
  { laps, legMs }: Course,
): Promise<readonly (Run | Error)[]> => {
  const lanes = runners.map((runner) => laneOf(runner, legMs))
  try {
    for (let lap = 0; lap < laps; lap++)
      for (const lane of lap % 2 === 0 ? lanes : lanes.toReversed())
        await (lap < laps - 1 ? lane.run() : lane.runToTheEnd())
    return lanes.map(({ result }) => result())
  } finally {
    // A load that pauses would pause for ever.
    for (const lane of lanes) lane.kill()
  }
}

/** Its load begins with its first leg and ends with its last. */
const laneOf = ({ server, load }: Runner, legMs: number) => {
  let running: RunningLoad | undefined
  let pausedMs = 0
  let result: Run | Error = new Error('it did not run')
  const runLeg = async () => {
    if (running) {
      pausedMs += performance.now()
      running.goOn()
    } else running = await beginLoad(load)
    await sleep(legMs)
    return running
  }
  return {
    async run() {
      const running = await runLeg()
      running.pause()
      await silence(server)
      pausedMs -= performance.now()
    },
    async runToTheEnd() {
      try {
        const outcome = await (await runLeg()).end()
        await silence(server)
        result = { outcome, ranMs: outcome.durationMs - pausedMs }
      } catch (error) {
        result = error as Error
      }
    },
    result: () => result,
    kill: () => running?.kill(),
  }
}

/** The next one begins when this one has done what it was asked; the time for that is this one's. */
const silence = async ({ isBusy }: Running) => {
  const until = performance.now() + longestSilenceMs
  while (isBusy() && performance.now() < until) await sleep(1)
}

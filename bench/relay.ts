import { setTimeout as sleep } from 'node:timers/promises'
import { beginLoad, type Load, type Outcome } from './load.ts'
import type { Running } from './server.ts'

export interface Runner {
  readonly server: Running
  readonly load: Load
}

/** What one of them did while it ran. */
export interface Run {
  readonly outcome: Outcome
  readonly ranMs: number
  readonly cpuMs: number
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
  const lanes: Lane[] = []
  for (const runner of runners) lanes.push(await enter(runner, legMs))
  for (let lap = 1; lap < laps; lap++)
    for (const lane of lap % 2 === 0 ? lanes : lanes.toReversed()) await lane.run()
  const runs: (Run | Error)[] = []
  for (const lane of lanes) runs.push(await lane.end().catch((error: Error) => error))
  return runs
}

interface Lane {
  run(): Promise<void>
  end(): Promise<Run>
}

/** Its first leg begins where its load begins. */
const enter = async ({ server, load }: Runner, legMs: number): Promise<Lane> => {
  const cpuBeforeMs = server.usage().cpuMs
  const running = await beginLoad(load)
  let pausedMs = 0
  const runLeg = async () => {
    await sleep(legMs)
    running.pause()
    pausedMs -= performance.now()
    await silence(server)
  }
  const goOn = () => {
    pausedMs += performance.now()
    running.goOn()
  }
  await runLeg()
  return {
    async run() {
      goOn()
      await runLeg()
    },
    async end() {
      goOn()
      const outcome = await running.end()
      await silence(server)
      return { outcome, ranMs: outcome.durationMs - pausedMs, cpuMs: server.usage().cpuMs - cpuBeforeMs }
    },
  }
}

/** The next one has the core to itself when this one has done what it was asked. */
const silence = async ({ isBusy }: Running) => {
  const until = performance.now() + longestSilenceMs
  while (isBusy() && performance.now() < until) await sleep(1)
}

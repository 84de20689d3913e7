import { setTimeout as sleep } from 'node:timers/promises'
import { checkOutcome, type Entry, loadOf } from './entry.ts'
import { load } from './load.ts'

/** The figures of one service in one leg, while no other was loaded. */
export interface Leg {
  readonly peer: string
  readonly workload: string
  /** Numbered across all starts: legs of one lap follow each other. */
  readonly lap: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
  /** Bytes per request that the server wrote to disk. */
  readonly writtenBytes: number
  /** Resident memory when the load ended. */
  readonly residentBytes: number
}

/** A leg is so long that CPU caches filled by the service before no longer matter: `bench -- legs` shows from which length on. */
export const legMs = 1_000

export const runLeg = async (entry: Entry, lap: number, durationMs = legMs): Promise<Leg> => {
  const { peer, server, workload } = entry
  const before = server.usage()
  const outcome = await load({ ...loadOf(entry), durationMs })
  await untilSilent(entry)
  const after = server.usage()
  checkOutcome(outcome, entry)
  const { requests, p50Ms, p99Ms } = outcome
  return {
    ...{ peer, workload: workload.name, lap, p50Ms, p99Ms },
    perSecond: (requests / outcome.durationMs) * 1000,
    cpuUs: ((after.cpuMs - before.cpuMs) * 1000) / requests,
    writtenBytes: (after.writtenBytes - before.writtenBytes) / requests,
    residentBytes: after.residentBytes,
  }
}

const maxSilenceWaitMs = 250

/** Waits until the service has finished its pending work, which would disturb the next one. */
const untilSilent = async ({ server }: Entry) => {
  const until = performance.now() + maxSilenceWaitMs
  while (server.isBusy() && performance.now() < until) await sleep(1)
}

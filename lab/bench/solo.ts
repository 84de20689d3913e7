import { check, type Entry, loadOf } from './entry.ts'
import { load } from './load.ts'

/** What one service did while it was loaded alone. */
export interface Solo {
  readonly peer: string
  readonly workload: string
  readonly turn: number
  /** Within this turn: services with the same lap were measured one after the other. */
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

/** Latency can only be measured where no service has to pause. */
export const solo = async (entry: Entry, durationMs: number): Promise<Omit<Solo, 'turn' | 'lap'>> => {
  const { peer, server, workload } = entry
  const before = server.usage()
  const outcome = await load({ ...loadOf(entry), durationMs })
  const after = server.usage()
  check(outcome, entry)
  const { requests, p50Ms, p99Ms } = outcome
  return {
    peer,
    workload: workload.name,
    perSecond: (requests / outcome.durationMs) * 1000,
    p50Ms,
    p99Ms,
    cpuUs: ((after.cpuMs - before.cpuMs) * 1000) / requests,
    writtenBytes: (after.writtenBytes - before.writtenBytes) / requests,
    residentBytes: after.residentBytes,
  }
}

import { check, type Entry, loadOf } from './entry.ts'
import { load } from './load.ts'

/** What one service did while nobody else was asked. */
export interface Solo {
  readonly peer: string
  readonly workload: string
  readonly turn: number
  /** Of this turn: who has the same one was measured one after the other. */
  readonly lap: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
  /** Written to the disk by the server for one request. */
  readonly writtenBytes: number
  /** What it took of the memory when the load ended. */
  readonly residentBytes: number
}

/** How long somebody waits can only be told where nobody has to pause. */
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

import { join } from 'node:path'
import { type Ask, load } from './load.ts'
import { type Offender, offend, offenders } from './offenders.ts'
import { ours } from './peers.ts'
import { populate } from './population.ts'
import { openProgress } from './progress.ts'
import { circumstances, keep } from './results.ts'
import { openScratch } from './scratch.ts'
import { type Running, startServer } from './server.ts'
import { walk } from './walk.ts'

/** What one reads feels while others do something. */
export interface Felt {
  readonly others: string
  readonly p50Ms: number
  readonly p99Ms: number
  /** The longest that anybody waited: no stall of the event loop was longer. */
  readonly maxMs: number
}

export interface Neighbours extends ReturnType<typeof circumstances> {
  readonly size: number
  readonly felt: readonly Felt[]
}

const size = 1_000_000
const measuredMs = 6000
const settleMs = 1000
const probes = 2

/** Whether who reads one record waits for those who list, search, and hash. Both cores are everybody's here. */
export const neighbours = async (): Promise<Neighbours> => {
  const [peer] = ours
  if (!peer) throw new Error('nobody has neighbours')
  const progress = openProgress(offenders.length + 2)
  const scratch = openScratch()
  const database = join(scratch.folder, 'neighbours.db')
  const place = { database, log: join(scratch.folder, 'rollcall.log'), core: 'any' as const }
  try {
    progress.step(`fill with ${size} members`)
    await populate(peer, place, { from: 0, to: size })
    const server = await startServer(peer, place)
    try {
      const { ids } = await walk(server.origin, '/api/v1/members', 'memberId')
      const asks = ids.map((id): Ask => ({ method: 'GET', path: `/api/v1/members/${id}` }))
      const felt: Felt[] = []
      for (const offender of [undefined, ...offenders]) {
        progress.step(offender?.name ?? 'nobody')
        felt.push(await feel(server, asks, offender))
      }
      const result = { ...circumstances(), size, felt }
      keep('neighbours', result)
      return result
    } finally {
      await server.stop()
    }
  } finally {
    progress.close()
    scratch.close()
  }
}

const feel = async (
  { origin }: Running,
  asks: readonly Ask[],
  offender: Offender | undefined,
): Promise<Felt> => {
  const others = offender && (await offend(origin, offender.name))
  try {
    const shape = { origin, asks, connections: probes }
    await load({ ...shape, durationMs: settleMs })
    const { p50Ms, p99Ms, maxMs } = await load({ ...shape, durationMs: measuredMs })
    return { others: offender?.name ?? 'nobody', p50Ms, p99Ms, maxMs }
  } finally {
    await others?.stop()
  }
}

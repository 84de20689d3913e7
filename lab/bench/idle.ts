import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '#lab/median.ts'
import { holdConnections } from './crowd.ts'
import { ours, type Peer } from './peers.ts'
import { populate } from './population.ts'
import { openProgress } from './progress.ts'
import { circumstances, saveResult } from './results.ts'
import { openScratch } from './scratch.ts'
import { type Place, startServer } from './server.ts'
import { readToEnd } from './unpaged.ts'

export interface Idle extends ReturnType<typeof circumstances> {
  readonly emptyStartMs: number
  readonly millionStartMs: number
  readonly residentBytes: number
  /** After the first list, which a thread reads. */
  readonly listedBytes: number
  readonly connections: number
  readonly bytesPerConnection: number
}

const starts = 5
const settleMs = 3000
const connections = 10_000
const size = 1_000_000

/** How soon a service answers, and how much memory it takes while idle. */
export const idle = async (): Promise<Idle> => {
  const [peer] = ours
  if (!peer) throw new Error('nobody is idle')
  const progress = openProgress(4)
  const scratch = openScratch()
  const log = join(scratch.folder, 'rollcall.log')
  const empty = { database: join(scratch.folder, 'empty.db'), log }
  const full = { database: join(scratch.folder, 'full.db'), log }
  try {
    progress.step('start with nothing')
    const emptyStartMs = await startTime(peer, empty)
    progress.step(`hold ${connections} connections`)
    const crowd = await crowdIn(peer, empty)
    progress.step(`fill with ${size} members`)
    await populate(peer, full, { from: 0, to: size })
    progress.step('start with a million')
    const millionStartMs = await startTime(peer, full)
    const result = { ...circumstances(), emptyStartMs, millionStartMs, connections, ...crowd }
    saveResult('idle', result)
    return result
  } finally {
    progress.close()
    scratch.close()
  }
}

const startTime = async (peer: Peer, place: Place) => {
  const times: number[] = []
  for (let start = 0; start < starts; start++) {
    const server = await startServer(peer, place)
    times.push(server.startedMs)
    await server.stop()
  }
  return median(times)
}

/** The memory of an idle service, without and with open connections that have each sent one request. */
const crowdIn = async (peer: Peer, place: Place) => {
  const server = await startServer(peer, place)
  try {
    await sleep(settleMs)
    const { residentBytes } = server.usage()
    await readToEnd(`${server.origin}/api/v1/todos`)
    await sleep(settleMs)
    const { residentBytes: listedBytes } = server.usage()
    const crowd = await holdConnections(server.origin, connections)
    const { residentBytes: crowded } = server.usage()
    crowd.close()
    return { residentBytes, listedBytes, bytesPerConnection: (crowded - listedBytes) / connections }
  } finally {
    await server.stop()
  }
}

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Ask, load } from './load.ts'
import { ours } from './peers.ts'
import { type Inserts, populate } from './population.ts'
import { openProgress, type Progress } from './progress.ts'
import { circumstances, keep } from './results.ts'
import { openScratch } from './scratch.ts'
import { type Search, search } from './searches.ts'
import { type Running, startServer } from './server.ts'
import { listAll, type Unpaged } from './unpaged.ts'
import { type Walk, walk } from './walk.ts'

/** What was measured with so many members and as many todos. */
export interface Grown {
  readonly size: number
  readonly startedMs: number
  readonly bytesPerPair: number
  readonly getMember: Rate
  readonly getTodo: Rate
  readonly postTodo: Rate
  readonly inserts: Inserts
  readonly walk: Omit<Walk, 'ids'>
  readonly searches: readonly Search[]
  readonly unpaged: Unpaged
}

export interface Growth extends ReturnType<typeof circumstances> {
  readonly grown: readonly Grown[]
}

interface Rate {
  readonly perSecond: number
  readonly p99Ms: number
}

const sizes = [1000, 100_000, 1_000_000]
const measuredMs = 3000
const warmMs = 1000
const stepsOfSize = 4

/** One database that grows; the same is asked of it at every size. */
export const growth = async (): Promise<Growth> => {
  const [peer] = ours
  if (!peer) throw new Error('nobody grows')
  const progress = openProgress(sizes.length * stepsOfSize)
  const scratch = openScratch()
  const database = join(scratch.folder, 'growth.db')
  const place = { database, log: join(scratch.folder, 'rollcall.log') }
  const grown: Grown[] = []
  try {
    let filled = 0
    for (const size of sizes) {
      progress.step(`${size}: fill`)
      const inserts = await populate(peer, place, { from: filled, to: size })
      filled = size + inserts.added
      const bytesPerPair = statSync(database).size / filled
      const server = await startServer(peer, place)
      try {
        const { startedMs } = server
        grown.push({ size, startedMs, bytesPerPair, inserts, ...(await askAll(server, size, progress)) })
      } finally {
        await server.stop()
      }
    }
    const result = { ...circumstances(), grown }
    keep('growth', result)
    return result
  } finally {
    progress.close()
    scratch.close()
  }
}

const askAll = async (server: Running, size: number, progress: Progress) => {
  progress.step(`${size}: walk`)
  const { ids: memberIds, ...members } = await walk(server.origin, '/api/v1/members', 'memberId')
  const { ids: todoIds } = await walk(server.origin, '/api/v1/todos', 'todoId')
  progress.step(`${size}: search`)
  const searches = await search(server.origin)
  progress.step(`${size}: rates`)
  return {
    walk: members,
    searches,
    getMember: await rate(
      server,
      memberIds.map((id) => read(`/api/v1/members/${id}`)),
    ),
    getTodo: await rate(
      server,
      todoIds.map((id) => read(`/api/v1/todos/${id}`)),
    ),
    postTodo: await rate(server, [create]),
    unpaged: await listAll(server, '/api/v1/members'),
  }
}

const read = (path: string): Ask => ({ method: 'GET', path })

const create: Ask = {
  method: 'POST',
  path: '/api/v1/todos',
  headers: { 'Content-Type': 'application/json' },
  body: '{"todoTitle":"Buy milk and bread"}',
}

const rate = async ({ origin }: Running, asks: readonly Ask[]): Promise<Rate> => {
  const shape = { origin, asks, connections: 32 }
  await load({ ...shape, durationMs: warmMs })
  const { requests, durationMs, p99Ms, refusals } = await load({ ...shape, durationMs: measuredMs })
  if (refusals > 0) throw new Error(`${refusals} of ${requests} were refused`)
  return { perSecond: (requests / durationMs) * 1000, p99Ms }
}

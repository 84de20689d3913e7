import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openClient } from './client.ts'
import { median } from './figures.ts'
import { type Ask, load } from './load.ts'
import { ours, type Peer } from './peers.ts'
import { type Inserts, populate } from './population.ts'
import { openProgress, type Progress } from './progress.ts'
import { circumstances, keep } from './results.ts'
import { openScratch } from './scratch.ts'
import { type Search, search } from './searches.ts'
import { type Place, type Running, startServer } from './server.ts'
import { listAll, type Unpaged } from './unpaged.ts'
import { walk } from './walk.ts'

/** What was measured with so many members and as many todos. */
export interface Grown {
  readonly size: number
  readonly startedMs: number
  readonly bytesPerPair: number
  readonly inserts: Inserts
  readonly searches: readonly Search[]
  readonly unpaged: Unpaged
  readonly costs: readonly Cost[]
}

/** What one request took. */
export interface Cost {
  readonly what: string
  readonly us: number
  /** The median of the ratios within each turn. */
  readonly timesSmallest: number
}

export interface Growth extends ReturnType<typeof circumstances> {
  readonly grown: readonly Grown[]
  readonly turns: number
  readonly measuredMs: number
}

const sizes = [1000, 100_000, 1_000_000]
const turns = 9
const measuredMs = 400
/** Others have had the processor meanwhile. */
const againMs = 100
const pageSize = 100
const unpagedTimes = 3
const connections = 32
const stepsOfSize = 3

/** Databases of every size, and the same is asked of each in turns. */
export const growth = async (): Promise<Growth> => {
  const [peer] = ours
  if (!peer) throw new Error('nobody grows')
  const progress = openProgress(sizes.length * stepsOfSize + turns + 1)
  const scratch = openScratch()
  const log = join(scratch.folder, 'rollcall.log')
  const servers: Running[] = []
  try {
    const filled = await fill(peer, { folder: scratch.folder, log, progress })
    const looked: Looked[] = []
    for (const { database, ...file } of filled) {
      const server = await startServer(peer, { database, log })
      servers.push(server)
      looked.push({ ...file, server, ...(await look(server, file.size, progress)) })
    }
    const costs = await inTurns(looked, progress)
    const grown = looked.map(({ server, measures: _, ...rest }, index) => ({
      ...rest,
      startedMs: server.startedMs,
      costs: costs[index] ?? [],
    }))
    const result = { ...circumstances(), grown, turns, measuredMs }
    keep('growth', result)
    return result
  } finally {
    for (const server of servers) await server.stop()
    progress.close()
    scratch.close()
  }
}

interface Filling {
  readonly folder: string
  readonly log: string
  readonly progress: Progress
}

/** One database that grows, and a copy of it at each size. */
const fill = async (peer: Peer, { folder, log, progress }: Filling) => {
  const growing: Place = { database: join(folder, 'growth.db'), log }
  const filled = []
  let from = 0
  for (const size of sizes) {
    progress.step(`${size}: fill`)
    const inserts = await populate(peer, growing, { from, to: size })
    from = size + inserts.added
    const bytesPerPair = statSync(growing.database).size / from
    const database = join(folder, `${size}.db`)
    copyFileSync(growing.database, database)
    filled.push({ size, database, inserts, bytesPerPair })
  }
  return filled
}

/** Microseconds of one request, in this turn. */
type Measure = (turn: number) => Promise<number>

interface Looked extends Omit<Grown, 'costs' | 'startedMs'> {
  readonly server: Running
  readonly measures: ReadonlyMap<string, Measure>
}

const look = async (server: Running, size: number, progress: Progress) => {
  const { origin } = server
  progress.step(`${size}: walk`)
  const members = await walk(origin, '/api/v1/members', 'memberId')
  const todos = await walk(origin, '/api/v1/todos', 'todoId')
  const measures = new Map([
    ['GET one member', rateOf(origin, reads('/api/v1/members', members.ids))],
    ['GET one todo', rateOf(origin, reads('/api/v1/todos', todos.ids))],
    ['Cursor page of 100, first', pagesOf(origin, members.pages.first)],
    ['Cursor page of 100, middle', pagesOf(origin, members.pages.middle)],
    ['Cursor page of 100, last', pagesOf(origin, members.pages.last)],
    ['POST a todo', rateOf(origin, [create])],
  ])
  progress.step(`${size}: search`)
  const searches = await search(origin)
  return { measures, searches, unpaged: await listOften(server) }
}

/** The median of a few times. */
const listOften = async (server: Running): Promise<Unpaged> => {
  const lists: Unpaged[] = []
  for (let time = 0; time < unpagedTimes; time++) lists.push(await listAll(server, '/api/v1/members'))
  const sorted = lists.toSorted((one, other) => one.megabytesPerSecond - other.megabytesPerSecond)
  return sorted[Math.floor(unpagedTimes / 2)] as Unpaged
}

const reads = (path: string, ids: readonly string[]) =>
  ids.map((id): Ask => ({ method: 'GET', path: `${path}/${id}` }))

const create: Ask = {
  method: 'POST',
  path: '/api/v1/todos',
  headers: { 'Content-Type': 'application/json' },
  body: '{"todoTitle":"Buy milk and bread"}',
}

const rateOf = (origin: string, asks: readonly Ask[]): Measure => {
  const shape = { origin, asks, connections }
  return async () => {
    await load({ ...shape, durationMs: againMs })
    const { requests, durationMs, refusals } = await load({ ...shape, durationMs: measuredMs })
    if (refusals > 0) throw new Error(`${refusals} of ${requests} were refused`)
    return (durationMs * 1000) / requests
  }
}

/** One after the other, and each turn pages of another size: none was made before. */
const pagesOf =
  (origin: string, pages: readonly string[]): Measure =>
  async (turn) => {
    const client = openClient(origin)
    const times = []
    for (const page of pages) {
      const begun = performance.now()
      const { status } = await client.ask('GET', page.replace(/size=\d+/, `size=${pageSize - turn}`))
      if (status !== 200) throw new Error(`${page} answered ${status}`)
      times.push((performance.now() - begun) * 1000)
    }
    client.close()
    return median(times)
  }

/** For each of them what each kind of request took. The first turn is no more than warming up. */
const inTurns = async (looked: readonly Looked[], progress: Progress): Promise<Cost[][]> => {
  const kinds = [...(looked[0]?.measures.keys() ?? [])]
  const taken = looked.map(() => new Map<string, number[]>(kinds.map((what) => [what, []])))
  for (let turn = 0; turn <= turns; turn++) {
    progress.step(turn === 0 ? 'warm up' : `turn ${turn} of ${turns}`)
    for (const what of kinds)
      for (const index of orderOf(turn, looked.length)) {
        const us = await looked[index]?.measures.get(what)?.(turn)
        if (turn > 0 && us !== undefined) taken[index]?.get(what)?.push(us)
      }
  }
  const [smallest] = taken
  return taken.map((own) => kinds.map((what) => costOf(what, own.get(what), smallest?.get(what))))
}

const orderOf = (turn: number, count: number) => {
  const order = Array.from({ length: count }, (_, index) => index)
  return turn % 2 === 0 ? order : order.reverse()
}

const costOf = (what: string, us: readonly number[] = [], smallest: readonly number[] = []): Cost => ({
  what,
  us: median(us),
  timesSmallest: median(us.map((each, turn) => each / (smallest[turn] ?? Number.NaN))),
})

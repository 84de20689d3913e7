import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '#lab/median.ts'
import { type Host, watchHost } from './host.ts'
import { type Measure, measuresOf } from './measures.ts'
import { ours, type Peer } from './peers.ts'
import { populate } from './population.ts'
import { openProgress, type Progress } from './progress.ts'
import { circumstances, saveResult } from './results.ts'
import { openScratch } from './scratch.ts'
import { type Search, search } from './searches.ts'
import { type Place, type Running, startServer } from './server.ts'
import { listAll, type UnpagedResult } from './unpaged.ts'

/** The measurements with `size` members and as many todos. */
export interface SizeResult {
  readonly size: number
  readonly startedMs: number
  readonly bytesPerPair: number
  readonly searches: readonly Search[]
  readonly unpaged: UnpagedResult
  readonly costs: readonly Cost[]
}

/** The time of one request. */
export interface Cost {
  readonly what: string
  readonly us: number
  /** The median of the ratios within each turn. */
  readonly timesSmallest: number
}

export interface Growth extends ReturnType<typeof circumstances> {
  readonly grown: readonly SizeResult[]
  readonly turns: number
}

const sizes = [5000, 100_000, 1_000_000]
const turns = 9
const insertTurns = 5
const insertsPerTurn = 4000
const insertLanes = 32
const unpagedAttempts = 3
const stepsOfSize = 3
const patienceMs = 120_000

/** Fills databases of several sizes, and sends each the same requests in turn. */
export const growth = async (): Promise<Growth> => {
  const [peer] = ours
  if (!peer) throw new Error('nobody grows')
  const progress = openProgress(sizes.length * stepsOfSize + turns + 2)
  const scratch = openScratch()
  const host = watchHost(patienceMs)
  const log = join(scratch.folder, 'rollcall.log')
  const servers: Running[] = []
  try {
    const filled = await fill(peer, { folder: scratch.folder, log, progress })
    const measured: MeasuredServer[] = []
    for (const { database, ...file } of filled) {
      const server = await startServer(peer, { database, log })
      servers.push(server)
      measured.push({
        ...file,
        server,
        ...(await measureServer(server, { size: file.size, progress, host })),
      })
    }
    const costs = await measureInTurns(measured, progress)
    await Promise.all(servers.splice(0).map((server) => server.stop()))
    progress.step('insert')
    const inserts = await insertInTurns(peer, filled, log)
    const grown = measured.map(({ server, measures: _, ...rest }, index) => ({
      ...rest,
      startedMs: server.startedMs,
      costs: [...(costs[index] ?? []), costOf('Insert a member, unhashed', inserts[index], inserts[0])],
    }))
    const result = { ...circumstances(), grown, turns }
    saveResult('growth', result)
    return result
  } finally {
    for (const server of servers) await server.stop()
    progress.close()
    scratch.close()
  }
}

interface FillOptions {
  readonly folder: string
  readonly log: string
  readonly progress: Progress
}

/** One growing database, and a copy of it at each size. */
const fill = async (peer: Peer, { folder, log, progress }: FillOptions) => {
  const growing: Place = { database: join(folder, 'growth.db'), log }
  const filled = []
  let from = 0
  for (const size of sizes) {
    progress.step(`${size}: fill`)
    await populate(peer, growing, { from, to: size })
    from = size
    const bytesPerPair = statSync(growing.database).size / size
    const database = join(folder, `${size}.db`)
    copyFileSync(growing.database, database)
    filled.push({ size, database, bytesPerPair })
  }
  return filled
}

/** The time of an insert into each database, whose service has stopped. */
const insertInTurns = async (
  peer: Peer,
  filled: readonly { readonly size: number; readonly database: string }[],
  log: string,
) => {
  const entries = filled.map((file) => ({ ...file, us: [] as number[] }))
  for (let turn = 0; turn < insertTurns; turn++)
    for (const { size, database, us } of turn % 2 === 0 ? entries : entries.toReversed()) {
      const from = size + turn * insertsPerTurn
      us.push(
        await populate(peer, { database, log }, { from, to: from + insertsPerTurn, lanes: insertLanes }),
      )
    }
  return entries.map(({ us }) => us)
}

interface MeasuredServer extends Omit<SizeResult, 'costs' | 'startedMs'> {
  readonly server: Running
  readonly measures: ReadonlyMap<string, Measure>
}

interface MeasureContext {
  readonly size: number
  readonly progress: Progress
  readonly host: Host
}

const measureServer = async (server: Running, { size, progress, host }: MeasureContext) => {
  progress.step(`${size}: walk`)
  const measures = await measuresOf(server.origin, host)
  progress.step(`${size}: search`)
  const searches = await search(server.origin)
  return { measures, searches, unpaged: await medianList(server, host) }
}

/** The median of a few attempts. */
const medianList = async (server: Running, host: Host): Promise<UnpagedResult> => {
  const lists: UnpagedResult[] = []
  for (let time = 0; time < unpagedAttempts; time++)
    lists.push(await host.undisturbed(() => listAll(server, '/api/v1/members')))
  const sorted = lists.toSorted((one, other) => one.megabytesPerSecond - other.megabytesPerSecond)
  return sorted[Math.floor(unpagedAttempts / 2)] as UnpagedResult
}

/** The time of each kind of request, per service. The first turn only warms up. */
const measureInTurns = async (measured: readonly MeasuredServer[], progress: Progress): Promise<Cost[][]> => {
  const entries = measured.map(({ measures }) =>
    [...measures].map(([what, measure]) => ({ what, measure, us: [] as number[] })),
  )
  for (let turn = 0; turn <= turns; turn++) {
    progress.step(turn === 0 ? 'warm up' : `turn ${turn} of ${turns}`)
    for (let kind = 0; kind < (entries[0]?.length ?? 0); kind++)
      for (const entry of turn % 2 === 0 ? entries : entries.toReversed()) {
        const us = await entry[kind]?.measure(turn)
        if (turn > 0 && us !== undefined) entry[kind]?.us.push(us)
      }
  }
  const [smallest] = entries
  return entries.map((own) => own.map(({ what, us }, kind) => costOf(what, us, smallest?.[kind]?.us)))
}

const costOf = (what: string, us: readonly number[] = [], smallest: readonly number[] = []): Cost => ({
  what,
  us: median(us),
  timesSmallest: median(us.map((each, turn) => each / (smallest[turn] ?? Number.NaN))),
})

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from '#lab/median.ts'
import { beginLoad, load, type Outcome, type RequestSpec } from './load.ts'
import { others, ours } from './peers.ts'
import { openProgress } from './progress.ts'
import { type Circumstances, circumstances, saveResult } from './results.ts'
import { openScratch } from './scratch.ts'
import { seed } from './seed.ts'
import { type Running, startServer } from './server.ts'
import { round, type Table, times } from './tables.ts'

/** What one service does on one disk. */
interface OnDisk {
  readonly peer: string
  readonly syncMs: number
  /** Writes a second, by the number of callers. */
  readonly posts: Readonly<Record<string, number>>
  /** Reads a second of 16 callers, by the number of writers beside them. */
  readonly gets: Readonly<Record<string, number>>
  /** The p99 of a read beside one writer. */
  readonly p99Ms: number
}

export interface Disks extends Circumstances {
  readonly rounds: number
  readonly onDisks: readonly OnDisk[]
}

const disksMs = [0, 1, 10, 50]
const callers = [1, 32, 128]
const writersBeside = [0, 1, 16]
const names = ['rollcall', 'fastify-sqlite', 'bun']
const readers = 16
const measuredMs = 1_000
const warmUpMs = 300
const rounds = 2

/** How fast services are on disks that are slow to sync. The delay affects only programs that sync through the C library. */
export const disks = async (): Promise<Disks | undefined> => {
  const scratch = openScratch()
  const shim = join(scratch.folder, 'slow-disk.so')
  const source = join(import.meta.dirname, 'slow-disk.c')
  if (spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', shim, source]).status !== 0) {
    process.stderr.write('NOT MEASURED: slow disks need a C compiler (cc)\n')
    return undefined
  }
  const peers = [...ours, ...others].filter(({ name, missing }) => names.includes(name) && !missing)
  const progress = openProgress(rounds * disksMs.length * peers.length)
  const each: OnDisk[] = []
  try {
    for (let count = 1; count <= rounds; count++)
      for (const syncMs of disksMs)
        for (const peer of peers) {
          progress.step(`round ${count}: ${peer.name}, ${syncMs} ms`)
          const database = join(scratch.folder, `${peer.name}-${syncMs}-${count}.db`)
          const env = { LD_PRELOAD: shim, SYNC_US: String(syncMs * 1000) }
          const server = await startServer(peer, { database, log: join(scratch.folder, 'disks.log'), env })
          try {
            each.push({ peer: peer.title, syncMs, ...(await measure(server)) })
          } finally {
            await server.stop()
          }
        }
  } finally {
    progress.close()
    scratch.close()
  }
  const result = { ...circumstances(), rounds, onDisks: medians(each) }
  saveResult('disks', result)
  return result
}

const measure = async (server: Running): Promise<Omit<OnDisk, 'peer' | 'syncMs'>> => {
  const { origin } = server
  const { ids } = await seed(server, [], 100)
  const reads = ids.map((id): RequestSpec => ({ method: 'GET', path: `/api/v1/todos/${id}` }))
  const perSecond = async (specs: readonly RequestSpec[], connections: number) => {
    await load({ origin, specs, connections, durationMs: warmUpMs })
    return load({ origin, specs, connections, durationMs: measuredMs })
  }
  const gets: Record<string, number> = {}
  let p99Ms = 0
  for (const count of writersBeside) {
    const writers = count > 0 ? await beginLoad({ origin, specs: [create], connections: count }) : undefined
    const outcome = await perSecond(reads, readers)
    await writers?.end()
    gets[count] = rate(outcome)
    if (count === 1) p99Ms = outcome.p99Ms
  }
  const posts: Record<string, number> = {}
  for (const count of callers) posts[count] = rate(await perSecond([create], count))
  return { posts, gets, p99Ms }
}

const create: RequestSpec = {
  method: 'POST',
  path: '/api/v1/todos',
  headers: { 'Content-Type': 'application/json' },
  body: '{"todoTitle":"Buy milk and bread"}',
}

const rate = ({ requests, durationMs, refusals }: Outcome) => {
  if (refusals > 0) throw new Error(`${refusals} of ${requests} were refused`)
  return (requests * 1000) / durationMs
}

const medians = (all: readonly OnDisk[]): OnDisk[] =>
  [...Map.groupBy(all, ({ peer, syncMs }) => `${peer} ${syncMs}`).values()].map((group) => {
    const over = (counts: readonly number[], of: (one: OnDisk) => Readonly<Record<string, number>>) =>
      Object.fromEntries(counts.map((count) => [count, median(group.map((one) => of(one)[count] ?? 0))]))
    return {
      ...(group[0] as OnDisk),
      posts: over(callers, ({ posts }) => posts),
      gets: over(writersBeside, ({ gets }) => gets),
      p99Ms: median(group.map(({ p99Ms }) => p99Ms)),
    }
  })

/** As a table. */
export const disksTable = ({ onDisks }: Disks): Table => ({
  head: [
    'sync',
    'service',
    ...callers.map((count) => `POST at ${count}, /s`),
    'GET alone, /s',
    'beside one writer',
    'beside 16',
    'p99 beside one, ms',
  ],
  rows: onDisks.map(({ syncMs, peer, posts, gets, p99Ms }) => [
    `${syncMs} ms`,
    peer,
    ...callers.map((count) => (posts[count] ? round(posts[count]) : '–')),
    round(gets[0] ?? 0),
    ...[1, 16].map((count) => times((gets[count] ?? 0) / (gets[0] ?? 1))),
    round(p99Ms),
  ]),
})

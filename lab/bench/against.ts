import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readArguments } from '#lab/arguments.ts'
import { openClient } from './client.ts'
import { type Interval, intervalOf } from './figures.ts'
import type { RequestSpec } from './load.ts'
import { ours, type Peer } from './peers.ts'
import { openCluster } from './postgres.ts'
import { openScratch } from './scratch.ts'
import { seed } from './seed.ts'
import { type Running, startServer } from './server.ts'
import { plainTable, round, timesWithin } from './tables.ts'
import { type Workload, workloads } from './workloads.ts'

const usage = `npm --prefix lab run against -- <folder> [--workloads a,b] [--pairs n] [--requests n] [--postgres]

  Compares this checkout with the one in the folder by the processor time of the process per request, in alternation. It
  needs no quiet machine and no wrk: this time moves by a few percent where rates move by thirty.
`

const { positionals, values } = readArguments(usage, {
  allowPositionals: true,
  options: {
    workloads: { type: 'string', default: 'create,create-c1,finish,invalid,get,list' },
    pairs: { type: 'string', default: '20' },
    requests: { type: 'string', default: '2000' },
    postgres: { type: 'boolean', default: false },
  },
})
const [pairs, requests] = [Number(values.pairs), Number(values.requests)]

/** As many as the workload "List of 100" asks for. */
const todos = 100
const nsPerUs = 1_000

/** How long all threads of a process have worked, more exactly than in ticks of 10 ms. */
const workedUs = (pid: number) => {
  const threads = `/proc/${pid}/task`
  const ns = (thread: string) => Number(readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ')[0])
  return readdirSync(threads).reduce((sum, thread) => sum + ns(thread), 0) / nsPerUs
}

type Side = Awaited<ReturnType<typeof start>>

const start = async (checkout: string, name: string) => {
  const [ordinary] = ours as readonly [Peer]
  const main = join(checkout, 'src/main.js')
  const command = ordinary.command.map((part) => (part.endsWith('main.js') ? main : part))
  const file = join(scratch.folder, `${name}.db`)
  const database = (await cluster?.create()) ?? file
  const server = await startServer({ ...ordinary, command }, { database, log: `${file}.log`, core: 'any' })
  const bytes = () => (cluster ? Number.NaN : statSync(file).size)
  return { name, server, bytes, site: await seed(server, [], todos) }
}

const send = async ({ origin, peer }: Running, specs: readonly RequestSpec[], callers: number) => {
  const client = openClient(origin, peer)
  let sent = 0
  const call = async () => {
    while (sent < requests) {
      const { method, path, body, headers } = specs[sent++ % specs.length] as RequestSpec
      const { status } = await client.request(method, path, body && JSON.parse(body), headers)
      if (status >= 500) throw new Error(`${status} to ${method} ${path}`)
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  client.close()
}

/** Microseconds of each side, pair by pair. The first pair warms up. */
const measure = async (workload: Workload) => {
  const found: (readonly [Side, number])[][] = []
  for (let pair = 0; pair <= pairs; pair++) {
    const both: (readonly [Side, number])[] = []
    for (const side of pair % 2 === 0 ? sides : sides.toReversed()) {
      const specs = await workload.specs(side.site)
      const before = workedUs(side.server.pid)
      await send(side.server, specs, workload.connections)
      both.push([side, (workedUs(side.server.pid) - before) / requests])
    }
    if (pair > 0) found.push(both)
  }
  return found.map((both) => new Map(both))
}

const row = async (workload: Workload) => {
  const found = await measure(workload)
  const of = (side: Side) => intervalOf(found.map((pair) => pair.get(side) ?? 0))
  const ratio = intervalOf(found.map((pair) => (pair.get(other) ?? 0) / (pair.get(own) ?? 1)))
  const shown = ({ median, low, high }: Interval) => `${round(median)} (${round(low)}–${round(high)})`
  return [workload.title, shown(of(other)), shown(of(own)), timesWithin(ratio)]
}

const scratch = openScratch()
const cluster = values.postgres ? await openCluster(scratch.folder, 'any') : undefined
const other = await start(resolve(positionals[0] ?? '.'), 'other')
const own = await start(resolve(import.meta.dirname, '../..'), 'own')
const sides = [other, own]
const chosen = values.workloads.split(',').flatMap((name) => workloads.filter((each) => each.name === name))
const rows: string[][] = []
for (const workload of chosen) {
  rows.push(await row(workload))
  process.stderr.write(`${rows.at(-1)?.join('  ')}\n`)
}
for (const { server } of sides) await server.stop()
const head = ['µs of processor time', 'other', 'this', 'other / this']
process.stdout.write(`${plainTable({ head, rows })}\n`)
const ends = sides.map(({ name, bytes }) => `${name} ${bytes()}`).join(', ')
process.stdout.write(`Bytes of the file: ${ends}\n`)
await cluster?.close()
scratch.close()

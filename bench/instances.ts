import { cpus } from 'node:os'
import { join } from 'node:path'
import { median } from './figures.ts'
import { type Ask, load } from './load.ts'
import { ours } from './peers.ts'
import { openCluster } from './postgres.ts'
import { openProgress } from './progress.ts'
import { circumstances, keep } from './results.ts'
import { openScratch } from './scratch.ts'
import { seed } from './seed.ts'
import { type Running, startServer } from './server.ts'
import { machineBusyMs } from './usage.ts'

/** One workload, asked of one instance and of two on the same database. */
export interface Scaled {
  readonly workload: string
  readonly onePerSecond: number
  readonly twoPerSecond: number
  /** Processor time for one request with one instance: of the instance, and of all that runs. */
  readonly instanceUs: number
  readonly machineUs: number
  /** What the model says of two instances, from what one took. */
  readonly predictedPerSecond: number
}

export interface Instances extends ReturnType<typeof circumstances> {
  readonly cores: number
  readonly scaled: readonly Scaled[]
}

const rounds = 5
const warmMs = 1000
const measuredMs = 3000
const connections = 32
const todos = 1000
const cores = cpus().length

/** Whether a second instance adds what the model says. Nothing is bound to a core: there are fewer cores than programs. */
export const instances = async (): Promise<Instances> => {
  const peer = ours.find(({ engine }) => engine === 'postgres')
  if (!peer) throw new Error('nobody runs on PostgreSQL')
  const progress = openProgress(rounds * 4)
  const { folder, close } = openScratch()
  const cluster = await openCluster(folder, 'any')
  const database = await cluster.create()
  const place = { database, log: join(folder, 'rollcall.log'), core: 'any' } as const
  const servers = [await startServer(peer, place), await startServer(peer, place)] as const
  try {
    const { ids } = await seed(servers[0], [], todos)
    const asked: Readonly<Record<string, readonly Ask[]>> = {
      'GET one': ids.map((id) => ({ method: 'GET', path: `${path}/${id}` })),
      'POST, durable': [{ method: 'POST', path, headers, body }],
    }
    const scaled: Scaled[] = []
    for (const [workload, asks] of Object.entries(asked)) {
      const one: Rate[] = []
      const two: Rate[] = []
      for (let round = 0; round < rounds; round++) {
        progress.step(`${workload}, one`)
        one.push(await rate(servers.slice(0, 1), asks))
        progress.step(`${workload}, two`)
        two.push(await rate(servers, asks))
      }
      scaled.push(scaledOf(workload, one, two))
    }
    const result = { ...circumstances(), pinned: false, cores, scaled }
    keep('instances', result)
    return result
  } finally {
    for (const server of servers) await server.stop()
    await cluster.close()
    progress.close()
    close()
  }
}

const path = '/api/v1/todos'
const headers = { 'Content-Type': 'application/json' }
const body = '{"todoTitle":"Buy milk and bread"}'

interface Rate {
  readonly perSecond: number
  readonly instanceUs: number
  readonly machineUs: number
}

/** Two loads always, so that the load is the same however many answer it. */
const rate = async (servers: readonly Running[], asks: readonly Ask[]): Promise<Rate> => {
  const shape = { asks, connections: connections / 2, core: 'any' } as const
  const targets = [0, 1].map((number) => servers[number % servers.length]?.origin ?? '')
  const run = (durationMs: number) =>
    Promise.all(targets.map((origin) => load({ ...shape, origin, durationMs })))
  await run(warmMs)
  const busy = () => servers.reduce((sum, { usage }) => sum + usage().cpuMs, 0)
  const [machineBefore, before] = [machineBusyMs(), busy()]
  const outcomes = await run(measuredMs)
  const [machine, own] = [machineBusyMs() - machineBefore, busy() - before]
  const requests = outcomes.reduce((sum, outcome) => sum + outcome.requests, 0)
  const refusals = outcomes.reduce((sum, outcome) => sum + outcome.refusals, 0)
  if (refusals > 0) throw new Error(`${refusals} of ${requests} were refused`)
  const perSecond = outcomes.reduce((sum, { requests, durationMs }) => sum + requests / durationMs, 0) * 1000
  return { perSecond, instanceUs: (own * 1000) / requests, machineUs: (machine * 1000) / requests }
}

const scaledOf = (workload: string, one: readonly Rate[], two: readonly Rate[]): Scaled => {
  const middle = (of: (rate: Rate) => number) => median(one.map(of))
  const onePerSecond = middle(({ perSecond }) => perSecond)
  const instanceUs = middle((rate) => rate.instanceUs)
  const machineUs = middle((rate) => rate.machineUs)
  return {
    workload,
    onePerSecond,
    twoPerSecond: median(two.map(({ perSecond }) => perSecond)),
    instanceUs,
    machineUs,
    predictedPerSecond: predicted({ onePerSecond, instanceUs, machineUs }),
  }
}

/** From here on of its core an instance is what its callers wait for. */
const full = 0.85

interface Cost {
  readonly onePerSecond: number
  readonly instanceUs: number
  readonly machineUs: number
}

/** What is waited for must be doubled: where it is the disk, two instances wait for the same one. */
const predicted = ({ onePerSecond, instanceUs, machineUs }: Cost) => {
  if (onePerSecond * instanceUs < full * 1e6) return onePerSecond
  return Math.min(2 * onePerSecond, (cores * 1e6) / machineUs)
}

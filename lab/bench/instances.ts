import { cpus } from 'node:os'
import { join } from 'node:path'
import { median } from '#lab/median.ts'
import { forecastReads, forecastWrites, type Plan, type Share } from './forecast.ts'
import { load, type RequestSpec } from './load.ts'
import { ours } from './peers.ts'
import { openCluster } from './postgres.ts'
import { openProgress } from './progress.ts'
import { circumstances, saveResult } from './results.ts'
import { openScratch } from './scratch.ts'
import { seed } from './seed.ts'
import { type Running, startServer } from './server.ts'
import { machineBusyMs } from './usage.ts'

/** One workload, run on one instance, and on two that share a database. */
export interface ScalingResult {
  readonly workload: string
  readonly onePerSecond: number
  /** One instance with the callers that each of the two has. */
  readonly halfPerSecond: number
  readonly twoPerSecond: number
  /** Processor time per request of one instance with those callers: its own, and that of everything that runs. */
  readonly instanceUs: number
  readonly machineUs: number
  /** The forecast for two instances, from one with half of the callers. */
  readonly predictedPerSecond: number
}

export interface Instances extends ReturnType<typeof circumstances> {
  readonly cores: number
  readonly scaled: readonly ScalingResult[]
}

const rounds = 5
const warmMs = 1000
const measuredMs = 3000
const connections = 32
const todos = 1000
const cores = cpus().length

/** Compares two instances with the forecast. Nothing is bound to a core, because there are more programs than cores. */
export const instances = async (): Promise<Instances> => {
  const peer = ours.find(({ engine }) => engine === 'postgres')
  if (!peer) throw new Error('nobody runs on PostgreSQL')
  const progress = openProgress(rounds * settings.length * 2)
  const { folder, close } = openScratch()
  const cluster = await openCluster(folder, 'any')
  const database = await cluster.create()
  const place = { database, log: join(folder, 'rollcall.log'), core: 'any' } as const
  const servers = [await startServer(peer, place), await startServer(peer, place)] as const
  try {
    const { ids } = await seed(servers[0], [], todos)
    const workloads: readonly Workload[] = [
      {
        name: 'GET one',
        specs: ids.map((id) => ({ method: 'GET', path: `${path}/${id}` })),
        forecast: forecastReads,
      },
      {
        name: 'POST, durable',
        specs: [{ method: 'POST', path, headers, body }],
        forecast: forecastWrites,
      },
    ]
    const scaled: ScalingResult[] = []
    for (const workload of workloads) {
      const rates: Record<Setting, Rate[]> = { one: [], half: [], two: [] }
      for (let round = 0; round < rounds; round++) {
        for (const setting of settings) {
          progress.step(`${workload.name}, ${setting}`)
          rates[setting].push(await rate(targets[setting](servers), workload.specs))
        }
      }
      scaled.push(scaledOf(workload, rates))
    }
    const result = { ...circumstances(), pinned: false, cores, scaled }
    saveResult('instances', result)
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

interface Workload {
  readonly name: string
  readonly specs: readonly RequestSpec[]
  readonly forecast: (share: Share, plan: Plan) => number
}

type Setting = 'one' | 'half' | 'two'
const settings: readonly Setting[] = ['one', 'half', 'two']

/** Where each load goes. Each has half of the callers. */
const targets: Readonly<Record<Setting, (servers: Servers) => readonly Running[]>> = {
  one: ([first]) => [first, first],
  half: ([first]) => [first],
  two: (servers) => servers,
}

type Servers = readonly [Running, Running]

interface Rate {
  readonly perSecond: number
  readonly instanceUs: number
  readonly machineUs: number
}

const rate = async (targets: readonly Running[], specs: readonly RequestSpec[]): Promise<Rate> => {
  const shape = { specs, connections: connections / 2, core: 'any' } as const
  const run = (durationMs: number) =>
    Promise.all(targets.map(({ origin }) => load({ ...shape, origin, durationMs })))
  await run(warmMs)
  const busy = () => [...new Set(targets)].reduce((sum, { usage }) => sum + usage().cpuMs, 0)
  const [machineBefore, before] = [machineBusyMs(), busy()]
  const outcomes = await run(measuredMs)
  const [machine, own] = [machineBusyMs() - machineBefore, busy() - before]
  const requests = outcomes.reduce((sum, outcome) => sum + outcome.requests, 0)
  const refusals = outcomes.reduce((sum, outcome) => sum + outcome.refusals, 0)
  if (refusals > 0) throw new Error(`${refusals} of ${requests} were refused`)
  const perSecond = outcomes.reduce((sum, { requests, durationMs }) => sum + requests / durationMs, 0) * 1000
  return { perSecond, instanceUs: (own * 1000) / requests, machineUs: (machine * 1000) / requests }
}

const scaledOf = (
  { name, forecast }: Workload,
  { one, half, two }: Record<Setting, Rate[]>,
): ScalingResult => {
  const perSecond = (rates: readonly Rate[]) => median(rates.map((rate) => rate.perSecond))
  const machineUs = median(half.map((rate) => rate.machineUs))
  return {
    workload: name,
    onePerSecond: perSecond(one),
    halfPerSecond: perSecond(half),
    twoPerSecond: perSecond(two),
    instanceUs: median(half.map((rate) => rate.instanceUs)),
    machineUs,
    predictedPerSecond: forecast({ perSecond: perSecond(half), machineUs }, { instances: 2, cores }),
  }
}

import { join } from 'node:path'
import { median } from '#lab/median.ts'
import { freePort } from '../../test/free-port.ts'
import { type Host, watchHost } from './host.ts'
import { load, type RequestSpec } from './load.ts'
import { type Offender, offenders, othersYield, startOffender } from './offenders.ts'
import { ours } from './peers.ts'
import { populate } from './population.ts'
import { openProgress } from './progress.ts'
import { circumstances, saveResult } from './results.ts'
import { openScratch } from './scratch.ts'
import { type Running, startServer } from './server.ts'
import { walk } from './walk.ts'

/** What a reader experiences while others do something. */
export interface ReaderResult {
  readonly others: string
  readonly p50Ms: number
  readonly p99Ms: number
  /** The p99 relative to that of the same round while nobody else is active. */
  readonly timesIdle: number
  /** The longest wait. */
  readonly maxMs: number
  /** The longest delay of the service's event loop, from its own metrics. */
  readonly stallMs: number
}

export interface Neighbours extends ReturnType<typeof circumstances> {
  readonly size: number
  readonly rounds: number
  /** True if the programs of the others yielded the cores to the service and its reader. */
  readonly othersYield: boolean
  readonly felt: readonly ReaderResult[]
}

const size = 1_000_000
const rounds = 3
const measuredMs = 4000
/** The service's event loop metric covers the last 16 seconds at most: after settling, only this offender. */
const settleMs = 10_000
const patienceMs = 240_000
/** The service samples its event loop at this interval, and its metric includes the interval. */
const samplingIntervalMs = 10
const probes = 2

/** True if a reader of single records waits for callers that list, search and hash. All share both cores here. */
export const neighbours = async (): Promise<Neighbours> => {
  const [peer] = ours
  if (!peer) throw new Error('nobody has neighbours')
  const activities = [undefined, ...offenders]
  const progress = openProgress(activities.length * rounds + 2)
  const scratch = openScratch()
  const host = watchHost(patienceMs)
  const database = join(scratch.folder, 'neighbours.db')
  const managementPort = await freePort()
  const env = { MANAGEMENT_PORT: String(managementPort) }
  const place = { database, log: join(scratch.folder, 'rollcall.log'), core: 'any' as const, env }
  try {
    progress.step(`fill with ${size} members`)
    await populate(peer, place, { from: 0, to: size })
    const server = await startServer(peer, place)
    try {
      const { ids } = await walk(server.origin, '/api/v1/members', 'memberId')
      const specs = ids.map((id): RequestSpec => ({ method: 'GET', path: `/api/v1/members/${id}` }))
      const stall = () => maxStallMs(managementPort)
      await stall()
      const felt: Round[] = []
      for (let round = 0; round < rounds; round++)
        for (const offender of activities) {
          const others = offender?.name ?? nobody
          progress.step(`round ${round + 1}: ${others}`)
          felt.push({ round, others, ...(await measureReader(server, { specs, stall, host }, offender)) })
        }
      const result = { ...circumstances(), size, rounds, othersYield, felt: summary(felt) }
      saveResult('neighbours', result)
      return result
    } finally {
      await server.stop()
    }
  } finally {
    progress.close()
    scratch.close()
  }
}

interface Round extends Omit<ReaderResult, 'timesIdle'> {
  readonly round: number
}

const nobody = 'nobody'

/** Medians over the rounds; the longest waits of all rounds. */
const summary = (felt: readonly Round[]): ReaderResult[] => {
  const idle = felt.filter(({ others }) => others === nobody)
  return [...Map.groupBy(felt, ({ others }) => others)].map(([others, each]) => ({
    others,
    p50Ms: median(each.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(each.map(({ p99Ms }) => p99Ms)),
    timesIdle: median(each.map(({ round, p99Ms }) => p99Ms / (idle[round]?.p99Ms ?? Number.NaN))),
    maxMs: Math.max(...each.map(({ maxMs }) => maxMs)),
    stallMs: Math.max(...each.map(({ stallMs }) => stallMs)),
  }))
}

interface Reader {
  readonly specs: readonly RequestSpec[]
  readonly stall: () => Promise<number>
  readonly host: Host
}

const measureReader = async (
  { origin }: Running,
  { specs, stall, host }: Reader,
  offender: Offender | undefined,
): Promise<Omit<Round, 'round' | 'others'>> => {
  const others = offender && (await startOffender(origin, offender.name))
  try {
    const shape = { origin, specs, connections: probes }
    await load({ ...shape, durationMs: settleMs })
    return await host.undisturbed(async () => {
      const { p50Ms, p99Ms, maxMs } = await load({ ...shape, durationMs: measuredMs })
      return { p50Ms, p99Ms, maxMs, stallMs: await stall() }
    })
  } finally {
    await others?.stop()
  }
}

/** The service begins to sample at the first request for its metrics. */
const maxStallMs = async (managementPort: number) => {
  const metrics = await (await fetch(`http://127.0.0.1:${managementPort}/metrics`)).text()
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics) ?? []
  if (seconds === undefined) throw new Error('the service does not report the delay of its event loop')
  return Math.max(0, Number(seconds) * 1000 - samplingIntervalMs)
}

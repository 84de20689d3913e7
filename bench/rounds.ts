import { join } from 'node:path'
import { openClient } from './client.ts'
import { type Ask, load, type Outcome } from './load.ts'
import type { Peer } from './peers.ts'
import type { Progress } from './progress.ts'
import { seed } from './seed.ts'
import { type Running, startServer } from './server.ts'
import { askedOf, large, type Site, small, type Workload } from './workloads.ts'

export interface Sample {
  readonly peer: string
  readonly workload: string
  readonly round: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the server for one request. */
  readonly cpuUs: number
  /** Written to the disk by the server for one request. */
  readonly writtenBytes: number
  /** What it took of the memory when the load ended. */
  readonly residentBytes: number
}

export interface Plan {
  readonly peers: readonly Peer[]
  readonly workloads: ReadonlySet<string>
  readonly rounds: number
  /** For so long a service that has just started works before it is measured: till then it compiles itself. */
  readonly startedMs: number
  /** The same for each workload. */
  readonly warmMs: number
  readonly measuredMs: number
}

export interface Rounds {
  readonly samples: readonly Sample[]
  /** What a service did not do under load, in a sentence each: that is not in the samples. */
  readonly failures: readonly string[]
}

export interface Bench {
  readonly folder: string
  readonly newDatabase: (peer: Peer) => Promise<string>
  readonly progress: Progress
}

/** How many todos there are, and what is asked then. */
const fillings = [
  { size: 100, list: small },
  { size: 1000, list: large },
]

/**
 * Every workload is asked of one service after another, in an order that turns round by round: what is compared was measured
 * within seconds, for the machine may be another minutes later.
 */
export const runRounds = async (plan: Plan, bench: Bench): Promise<Rounds> => {
  const samples: Sample[] = []
  const failures: string[] = []
  for (let round = 0; round < plan.rounds; round++) {
    const peers = round % 2 === 0 ? plan.peers : plan.peers.toReversed()
    const rounded = await oneRound(peers, { plan, bench, round })
    samples.push(...rounded.samples)
    failures.push(...rounded.failures)
  }
  return { samples, failures }
}

export const stepsOf = ({ peers, workloads, rounds }: Plan) =>
  rounds * peers.reduce((sum, peer) => sum + chosen(peer, workloads, [...small, ...large]).length, 0)

interface Turn {
  readonly plan: Plan
  readonly bench: Bench
  readonly round: number
}

/** A service that runs, and what is in it. */
interface Guest {
  readonly server: Running
  site: Site
  warmMs: number
}

const oneRound = async (peers: readonly Peer[], { plan, bench, round }: Turn): Promise<Rounds> => {
  const samples: Sample[] = []
  const failures: string[] = []
  const guests: Guest[] = []
  try {
    for (const peer of peers) guests.push(await invite(peer, plan, bench))
    for (const { size, list } of fillings) {
      for (const guest of guests) guest.site = await seed(guest.server, guest.site.ids, size)
      for (const { workload, guest } of list.flatMap((workload) => askedBy(workload, guests, plan))) {
        const what = `round ${round + 1}  ${workload.name}  ${guest.server.peer.name}`
        await measure(guest, workload, { plan, round }).then(
          (sample) => {
            samples.push(sample)
            bench.progress.step(`${what}  ${Math.round(sample.perSecond)}/s`)
          },
          ({ message }: Error) => {
            failures.push(`${what}: ${message}`)
            bench.progress.step(`${what}: ${message}`)
          },
        )
        guest.warmMs = plan.warmMs
      }
    }
  } finally {
    await Promise.all(guests.map(({ server }) => server.stop()))
  }
  return { samples, failures }
}

const invite = async (peer: Peer, { startedMs }: Plan, { newDatabase, folder }: Bench): Promise<Guest> => {
  const place = { database: await newDatabase(peer), log: join(folder, `${peer.name}.log`) }
  const server = await startServer(peer, place)
  return { server, site: await seed(server, [], 0), warmMs: startedMs }
}

const askedBy = (workload: Workload, guests: readonly Guest[], { workloads }: Plan) =>
  guests.flatMap((guest) =>
    chosen(guest.server.peer, workloads, [workload]).map((workload) => ({ workload, guest })),
  )

const chosen = (peer: Peer, names: ReadonlySet<string>, list: readonly Workload[]) =>
  askedOf(peer, list).filter((workload) => names.has(workload.name))

const measure = async (
  { server, site, warmMs }: Guest,
  workload: Workload,
  { plan, round }: Omit<Turn, 'bench'>,
): Promise<Sample> => {
  const asks = (await workload.asks(site)).map((ask) => withHeaders(ask, site.headers))
  await probe(server, workload, asks[0])
  const { origin } = server
  const shape = { origin, asks, connections: workload.connections }
  if (!workload.once) await load({ ...shape, durationMs: warmMs })
  const before = server.usage()
  const outcome = await load({ ...shape, durationMs: workload.once ? plan.measuredMs / 2 : plan.measuredMs })
  const after = server.usage()
  check(outcome, workload, asks.length)
  return {
    peer: server.peer.name,
    workload: workload.name,
    round,
    perSecond: (outcome.requests / outcome.durationMs) * 1000,
    p50Ms: outcome.p50Ms,
    p99Ms: outcome.p99Ms,
    cpuUs: ((after.cpuMs - before.cpuMs) * 1000) / outcome.requests,
    writtenBytes: (after.writtenBytes - before.writtenBytes) / outcome.requests,
    residentBytes: after.residentBytes,
  }
}

const withHeaders = (ask: Ask, headers: Ask['headers']): Ask => ({
  ...ask,
  headers: { ...headers, ...ask.headers },
})

/** Whether the first answer is what the workload is about. */
const probe = async (
  { origin }: Running,
  { statuses = [200], type = '' }: Workload,
  ask: Ask | undefined,
) => {
  if (!ask) throw new Error('nothing is asked')
  const client = openClient(origin)
  const { method, path, body, headers } = ask
  const answer = await client.ask(method, path, body === undefined ? undefined : JSON.parse(body), headers)
  client.close()
  if (!statuses.includes(answer.status))
    throw new Error(`its first answer is ${answer.status}: ${answer.body}`)
  const given = String(answer.headers['content-type'])
  if (!given.startsWith(type)) throw new Error(`its first answer is ${given}, not ${type}`)
}

const isRefused = ({ statuses = [] }: Workload) => statuses.some((status) => status >= 400)

/** A service that answers wrongly under load is not measured. */
const check = ({ requests, refusals, failures }: Outcome, workload: Workload, asked: number) => {
  const wanted = isRefused(workload) ? requests : 0
  if (failures > 0) throw new Error(`${failures} of ${requests} requests got no answer`)
  if (requests === 0) throw new Error('no answer at all')
  if (refusals !== wanted) throw new Error(`${refusals} of ${requests} answers are refusals, not ${wanted}`)
  if (workload.once && requests > asked) throw new Error(`${asked} todos were not enough`)
}

import { openClient } from './client.ts'
import type { Host } from './host.ts'
import { type Ask, load, type Outcome } from './load.ts'
import type { Peer } from './peers.ts'
import type { Progress } from './progress.ts'
import type { Running } from './server.ts'
import type { Site, Workload } from './workloads.ts'

export interface Sample {
  readonly peer: string
  readonly workload: string
  /** Counted through all rounds: what has the same one was measured side by side. */
  readonly turn: number
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
  /** In each, all services are started anew. */
  readonly rounds: number
  /** How often each service is measured with one workload in a round. */
  readonly turns: number
  /** For so long a service that has just started works before it is measured: till then it compiles itself. */
  readonly startedMs: number
  /** The same for each workload. */
  readonly warmMs: number
  /** The same for each further turn: others have had the processor meanwhile. */
  readonly againMs: number
  readonly measuredMs: number
  /** So long, in all, things are measured again because the host took too much. */
  readonly patienceMs: number
}

export interface Sampled {
  readonly samples: readonly Sample[]
  /** What a service did not do under load, in a sentence each: that is not in the samples. */
  readonly failures: readonly string[]
}

export interface Bench {
  readonly folder: string
  readonly newDatabase: (peer: Peer) => Promise<string>
  readonly progress: Progress
  readonly host: Host
}

export interface Round {
  readonly plan: Plan
  readonly bench: Bench
  readonly round: number
}

/** A service that runs, and what is in it. */
export interface Guest {
  readonly server: Running
  site: Site
  /** Whether it has just started. */
  isFresh: boolean
}

/** One workload of all services, turn by turn. Who fails once has no samples of it. */
export const contest = async (
  workload: Workload,
  guests: readonly Guest[],
  { plan, bench, round }: Round,
): Promise<Sampled> => {
  const entries = guests.map((guest) => ({
    name: guest.server.peer.name,
    turns: turnsOf(guest, workload, { plan, bench }),
    samples: [] as Sample[],
    failure: undefined as string | undefined,
  }))
  for (let inRound = 0; inRound < plan.turns; inRound++) {
    const turn = round * plan.turns + inRound
    for (const entry of turn % 2 === 0 ? entries : entries.toReversed()) {
      const what = `turn ${turn + 1}  ${workload.name}  ${entry.name}`
      try {
        const { value } = await entry.turns.next()
        if (value) entry.samples.push({ ...value, turn })
      } catch (error) {
        entry.failure = `${what}: ${(error as Error).message}`
      }
      const rate = entry.samples.at(-1)?.perSecond ?? 0
      bench.progress.step(entry.failure ?? `${what}  ${Math.round(rate)}/s`)
    }
  }
  return {
    samples: entries.flatMap(({ samples, failure }) => (failure === undefined ? samples : [])),
    failures: entries.flatMap(({ failure }) => failure ?? []),
  }
}

/** Warms up, and is measured once in each of its turns. */
async function* turnsOf(
  guest: Guest,
  workload: Workload,
  { plan, bench }: Omit<Round, 'round'>,
): AsyncGenerator<Omit<Sample, 'turn'>, undefined> {
  const { server, site } = guest
  const asks = (await workload.asks(site)).map((ask) => withHeaders(ask, site.headers))
  await probe(server, workload, asks[0])
  let warmMs = guest.isFresh ? plan.startedMs : plan.warmMs
  guest.isFresh = false
  for (let turn = 0; turn < plan.turns; turn++) {
    yield await measure(server, workload, {
      plan,
      host: bench.host,
      warmMs,
      asks: workload.once ? part(asks, turn, plan) : asks,
    })
    warmMs = plan.againMs
  }
}

/** What can be asked once only is shared out. */
const part = (asks: readonly Ask[], turn: number, { turns }: Plan) => {
  const size = Math.floor(asks.length / turns)
  return asks.slice(turn * size, (turn + 1) * size)
}

interface Turn {
  readonly plan: Plan
  readonly host: Host
  readonly warmMs: number
  readonly asks: readonly Ask[]
}

const measure = async (
  server: Running,
  workload: Workload,
  { plan, host, warmMs, asks }: Turn,
): Promise<Omit<Sample, 'turn'>> => {
  const shape = { origin: server.origin, asks, connections: workload.connections }
  const durationMs = plan.measuredMs * (workload.lastsTimes ?? 1)
  const measured = async () => {
    const before = server.usage()
    const outcome = await load({ ...shape, durationMs })
    const after = server.usage()
    check(outcome, workload, asks.length)
    return {
      peer: server.peer.name,
      workload: workload.name,
      perSecond: (outcome.requests / outcome.durationMs) * 1000,
      p50Ms: outcome.p50Ms,
      p99Ms: outcome.p99Ms,
      cpuUs: ((after.cpuMs - before.cpuMs) * 1000) / outcome.requests,
      writtenBytes: (after.writtenBytes - before.writtenBytes) / outcome.requests,
      residentBytes: after.residentBytes,
    }
  }
  if (workload.once) return measured()
  await load({ ...shape, durationMs: warmMs })
  return host.undisturbed(measured)
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

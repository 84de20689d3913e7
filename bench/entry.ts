import { openClient } from './client.ts'
import { type Ask, type Load, load, type Outcome } from './load.ts'
import type { Running } from './server.ts'
import type { Site, Workload } from './workloads.ts'

/** A service that runs, and what is in it. */
export interface Guest {
  readonly server: Running
  site: Site
  /** Whether it has just started. */
  isFresh: boolean
}

/** A service, and what it will be asked. */
export interface Racer {
  readonly guest: Guest
  readonly workload: Workload
}

/** The same, ready to be asked. */
export interface Entry {
  readonly peer: string
  readonly server: Running
  readonly workload: Workload
  readonly asks: readonly Ask[]
}

interface Warming {
  /** For so long a service that has just started works before it is measured: till then it compiles itself. */
  readonly startedMs: number
  /** The same for each workload. */
  readonly warmMs: number
}

export const enter = async ({ guest, workload }: Racer, { startedMs, warmMs }: Warming): Promise<Entry> => {
  const { server, site } = guest
  const asks = (await workload.asks(site)).map((ask) => withHeaders(ask, site.headers))
  const entry = { peer: server.peer.name, server, workload, asks }
  await probe(entry)
  if (!workload.once) await load({ ...loadOf(entry), durationMs: guest.isFresh ? startedMs : warmMs })
  guest.isFresh = false
  return entry
}

const withHeaders = (ask: Ask, headers: Ask['headers']): Ask => ({
  ...ask,
  headers: { ...headers, ...ask.headers },
})

export const loadOf = ({ server, workload, asks }: Entry): Load => ({
  origin: server.origin,
  asks,
  connections: workload.connections,
})

/** One of so many parts of it: what can be asked once only is shared out. */
export const partOf = (entry: Entry, part: number, parts: number): Entry => {
  if (!entry.workload.once) return entry
  const size = Math.floor(entry.asks.length / parts)
  return { ...entry, asks: entry.asks.slice(part * size, (part + 1) * size) }
}

/** Whether the first answer is what the workload is about. */
const probe = async ({ server, workload, asks: [ask] }: Entry) => {
  const { statuses = [200], type = '' } = workload
  if (!ask) throw new Error('nothing is asked')
  const client = openClient(server.origin)
  const { method, path, body, headers } = ask
  const answer = await client.ask(method, path, body === undefined ? undefined : JSON.parse(body), headers)
  client.close()
  if (!statuses.includes(answer.status))
    throw new Error(`its first answer is ${answer.status}: ${answer.body}`)
  const given = String(answer.headers['content-type'])
  if (!given.startsWith(type)) throw new Error(`its first answer is ${given}, not ${type}`)
}

/** A service that answers wrongly under load is not measured. */
export const check = ({ requests, refusals, failures }: Outcome, { workload, asks }: Entry) => {
  const { once, statuses = [] } = workload
  const wanted = statuses.some((status) => status >= 400) ? requests : 0
  if (failures > 0) throw new Error(`${failures} of ${requests} requests got no answer`)
  if (requests === 0) throw new Error('no answer at all')
  if (refusals !== wanted) throw new Error(`${refusals} of ${requests} answers are refusals, not ${wanted}`)
  if (once && requests > asks.length) throw new Error(`${asks.length} todos were not enough`)
}

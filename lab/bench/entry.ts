import { openClient } from './client.ts'
import { common } from './dialect.ts'
import { type Load, load, type Outcome, type RequestSpec } from './load.ts'
import type { Running } from './server.ts'
import type { SeededService, Workload } from './workloads.ts'

/** A running service and its data. */
export interface StartedPeer {
  readonly server: Running
  site: SeededService
}

/** A service and the workload it will get. */
export interface Racer {
  readonly guest: StartedPeer
  readonly workload: Workload
}

/** The same, ready to be loaded. */
export interface Entry {
  readonly peer: string
  readonly server: Running
  readonly workload: Workload
  readonly specs: readonly RequestSpec[]
}

/** How long a service runs before it is measured: until then a workload that is new to it is being compiled. */
const warmMs = 2_000

export const prepareEntry = async ({ guest, workload }: Racer): Promise<Entry> => {
  const { server, site } = guest
  const { dialect = common } = server.peer
  const specs = (await workload.specs(site)).map((spec) => dialect.request(withHeaders(spec, site.headers)))
  const entry = { peer: server.peer.name, server, workload, specs }
  await probe(entry)
  if (!workload.once) await load({ ...loadOf(entry), durationMs: warmMs })
  return entry
}

const withHeaders = (spec: RequestSpec, headers: RequestSpec['headers']): RequestSpec => ({
  ...spec,
  headers: { ...headers, ...spec.headers },
})

export const loadOf = ({ server, workload, specs }: Entry): Load => ({
  origin: server.origin,
  specs,
  connections: workload.connections,
})

/** One of `parts` parts: requests that can be sent only once are divided among them. */
export const partOf = (entry: Entry, part: number, parts: number): Entry => {
  if (!entry.workload.once) return entry
  const size = Math.floor(entry.specs.length / parts)
  return { ...entry, specs: entry.specs.slice(part * size, (part + 1) * size) }
}

/** Throws if the first answer is not what the workload is about. */
const probe = async ({ server, workload, specs: [spec] }: Entry) => {
  const { statuses = [200], type = '' } = workload
  if (!spec) throw new Error('the workload has no requests')
  const client = openClient(server.origin)
  const { method, path, body, headers } = spec
  const answer = await client.request(
    method,
    path,
    body === undefined ? undefined : JSON.parse(body),
    headers,
  )
  client.close()
  if (!statuses.includes(answer.status))
    throw new Error(`its first answer is ${answer.status}: ${answer.body}`)
  const given = String(answer.headers['content-type'])
  if (!given.startsWith(type)) throw new Error(`its first answer is ${given}, not ${type}`)
}

/** Throws if a service answers wrongly under load: then it is not measured. */
export const checkOutcome = ({ requests, refusals, failures }: Outcome, { workload, specs }: Entry) => {
  const { once, statuses = [] } = workload
  const wanted = statuses.some((status) => status >= 400) ? requests : 0
  if (failures > 0) throw new Error(`${failures} of ${requests} requests got no answer`)
  if (requests === 0) throw new Error('no answer at all')
  if (refusals !== wanted) throw new Error(`${refusals} of ${requests} answers are refusals, not ${wanted}`)
  if (once && requests > specs.length) throw new Error(`${specs.length} todos were not enough`)
}

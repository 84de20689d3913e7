import type { RequestSpec } from './load.ts'
import type { Peer } from './peers.ts'

/** A service under load and its data. */
export interface SeededService {
  /** Header fields of every request. */
  readonly headers: Readonly<Record<string, string>>
  /** The todos that exist when the load begins. */
  readonly ids: readonly string[]
  readonly etagOf: (path: string) => Promise<string>
  /** Every todo that exists now. */
  readonly allIds: () => Promise<readonly string[]>
}

export interface Workload {
  readonly name: string
  readonly title: string
  readonly connections: number
  readonly specs: (site: SeededService) => readonly RequestSpec[] | Promise<readonly RequestSpec[]>
  /** Allowed statuses of the first answer; 200 when absent. */
  readonly statuses?: readonly number[]
  /** The media type of the first answer. */
  readonly type?: string
  /** Each request may be sent only once, so there is no warm-up. */
  readonly once?: boolean
  /** The workload that it shares its turns with. */
  readonly beside?: string
  /** The services that get it; all when absent. */
  readonly only?: readonly string[]
  readonly quick?: boolean
}

export const connections = 32
const item = (id: string) => `/api/v1/todos/${id}`
const collection = '/api/v1/todos'
/** Answering that it does not exist takes a database lookup. */
export const unknownTodo = item('00000000-0000-7000-8000-000000000000')
const problemJson = 'application/problem+json'
/** Elysia answers 422. */
const refusals = [400, 422]
/** PocketBase answers 200. */
export const createdStatuses = [201, 200]
/** As proxies send unless configured otherwise. */
const connectionClose = { Connection: 'close' }
const json = { 'Content-Type': 'application/json' }

const get = (path: string, headers: Record<string, string> = {}): RequestSpec => ({
  method: 'GET',
  path,
  headers,
})
const post = (body: string, headers: Record<string, string> = {}): RequestSpec => ({
  method: 'POST',
  path: collection,
  headers: { ...json, ...headers },
  body,
})
const valid = '{"todoTitle":"Buy milk and bread"}'
const create = post(valid)
const batchOf = (count: number): RequestSpec => {
  const operation = { method: 'POST', path: collection, body: JSON.parse(valid) }
  const body = JSON.stringify({ atomic: true, operations: Array.from({ length: count }, () => operation) })
  return { ...post(body), path: '/api/v1/batch' }
}
const invalid = '{"todoTitle":""}'

const reads = ({ ids }: SeededService) => ids.map((id) => get(item(id)))
const creates = () => [create]

const rollcall = ['rollcall']
const withETag = ['node-http', 'rollcall', 'rollcall-postgres', 'express', 'nest-express']

const xml = { Accept: 'application/xml' }

/** For a service that holds a hundred todos. */
export const smallWorkloads: readonly Workload[] = [
  { name: 'list', title: 'List of 100', connections, specs: () => [get(collection)], quick: true },
  {
    ...{ name: 'list-xml', title: 'List of 100, XML', connections, type: 'application/xml' },
    ...{ specs: () => [get(collection, xml)], beside: 'list', only: rollcall },
  },
]

/** Refused in the same way, and asked for in another. */
const refused = (name: string, title: string, headers: Record<string, string> = {}): Workload => ({
  ...{ name, title, connections, statuses: refusals },
  specs: () => [post(invalid, headers)],
  ...(name === 'invalid' ? { quick: true } : { beside: 'invalid', only: rollcall }),
})

/** For a service that holds a thousand todos. */
export const largeWorkloads: readonly Workload[] = [
  { name: 'get', title: 'GET one', connections, specs: reads, quick: true },
  {
    ...{ name: 'not-modified', title: '304', connections, statuses: [304], only: withETag, quick: true },
    specs: ({ ids, etagOf }) => Promise.all(ids.slice(0, 100).map((id) => unchanged(item(id), etagOf))),
  },
  { name: 'finish', title: 'PUT finish, again', connections, specs: puts, quick: true },
  {
    name: 'unknown',
    title: '404',
    connections,
    statuses: [404],
    specs: () => [get(unknownTodo)],
    quick: true,
  },
  refused('invalid', '400'),
  {
    ...{ name: 'get-xml', title: 'GET one, XML', connections, type: 'application/xml', quick: true },
    ...{ specs: ({ ids }) => ids.map((id) => get(item(id), xml)), beside: 'get', only: rollcall },
  },
  {
    ...refused('invalid-problem', '400 as problem+json', {
      Accept: `${problemJson}, application/json;q=0.9`,
    }),
    type: problemJson,
  },
  refused('invalid-japanese', '400 in Japanese', { 'Accept-Language': 'ja' }),
  { name: 'get-c1', title: 'GET one, 1 connection', connections: 1, specs: reads },
  { name: 'get-c512', title: 'GET one, 512 connections', connections: 512, specs: reads },
  {
    ...{ name: 'get-each', title: 'GET one, connection per request', connections },
    specs: ({ ids }) => ids.map((id) => get(item(id), connectionClose)),
  },
  {
    name: 'create',
    title: 'POST, durable',
    connections,
    statuses: createdStatuses,
    specs: creates,
    quick: true,
  },
  {
    ...{
      name: 'batch',
      title: 'POST of 100 in a batch, durable',
      connections,
      beside: 'create',
      only: rollcall,
    },
    ...{ specs: () => [batchOf(100)], quick: true },
  },
  { name: 'mixed', title: '80 GET to 20 POST', connections, specs: mixed, quick: true },
  {
    ...{ name: 'finish-open', title: 'PUT finish, first time', connections, once: true },
    specs: async ({ allIds }) => putsOf(await allIds()),
  },
  {
    ...{ name: 'create-c1', title: 'POST, 1 connection', connections: 1, statuses: createdStatuses },
    ...{ specs: creates, quick: true },
  },
  {
    ...{ name: 'create-each', title: 'POST, connection per request', connections, statuses: createdStatuses },
    specs: () => [post(valid, connectionClose)],
  },
  {
    ...{ name: 'create-c512', title: 'POST, 512 connections', connections: 512, statuses: createdStatuses },
    ...{ specs: creates },
  },
]

export const workloads = [...smallWorkloads, ...largeWorkloads]

/** The workloads of this service, in order. */
export const workloadsFor = (peer: Peer, list: readonly Workload[]) =>
  list.filter(
    ({ name, only }) =>
      (only?.includes(peer.name) ?? true) &&
      (peer.only?.includes(name) ?? true) &&
      !peer.unsupported?.includes(name),
  )

/** So few that all are finished when the warm-up ends. */
function puts({ ids }: SeededService) {
  return putsOf(ids.slice(0, 100))
}

function putsOf(ids: readonly string[]): RequestSpec[] {
  return ids.map((id) => ({ method: 'PUT', path: item(id) }))
}

async function unchanged(path: string, etagOf: SeededService['etagOf']) {
  return get(path, { 'If-None-Match': await etagOf(path) })
}

/** Four reads to one create, evenly mixed. */
function mixed({ ids }: SeededService) {
  return ids.map((id, index) => (index % 5 === 4 ? create : get(item(id))))
}

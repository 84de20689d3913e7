import { openClient } from './client.ts'
import type { Running } from './server.ts'
import { createdStatuses, type SeededService } from './workloads.ts'

const path = '/api/v1/todos'
const laneCount = 16

/** Creates todos through the service until it holds `todos` of them, and returns what it holds. */
export const seed = async (
  server: Running,
  before: readonly string[],
  todos: number,
): Promise<SeededService> => {
  if (server.peer.fixed) return fixedSite(todos)
  const lanes = Array.from({ length: laneCount }, (_, lane) =>
    Math.ceil((todos - before.length - lane) / laneCount),
  )
  const created = await Promise.all(lanes.map((count) => create(server, count)))
  return siteOf(server, [...before, ...created.flat()])
}

const create = async ({ peer, origin }: Running, count: number) => {
  const client = openClient(origin, peer)
  const ids: string[] = []
  while (ids.length < count) {
    const { status, body } = await client.request('POST', path, { todoTitle: `Buy milk ${ids.length}` })
    if (!createdStatuses.includes(status))
      throw new Error(`${peer.name} answered ${status} to a POST: ${body}`)
    ids.push(idOf(JSON.parse(body)))
  }
  client.close()
  return ids
}

const siteOf = async ({ peer, origin }: Running, ids: readonly string[]): Promise<SeededService> => {
  const get = async (path: string) => {
    const client = openClient(origin, peer)
    const answer = await client.request('GET', path)
    client.close()
    return answer
  }
  return {
    headers: await headersOf({ peer, origin }),
    ids,
    etagOf: async (path) => String((await get(path)).headers.etag),
    allIds: async () => (JSON.parse((await get(path)).body) as unknown[]).map(idOf),
  }
}

const makers = {
  token: { path: '/api/v1/tokens', body: undefined, field: 'token' },
  key: { path: '/api/v1/keys', body: { name: 'bench', scopes: ['todos:read'] }, field: 'secret' },
} as const

const headersOf = async ({
  peer,
  origin,
}: Pick<Running, 'peer' | 'origin'>): Promise<SeededService['headers']> => {
  if (!peer.madeFor) return peer.headers ?? {}
  const { path, body, field } = makers[peer.madeFor]
  const client = openClient(origin, peer)
  const made = JSON.parse((await client.request('POST', path, body)).body) as Record<string, string>
  client.close()
  return { Authorization: `Bearer ${made[field]}` }
}

const fixedSite = (todos: number): SeededService => {
  const ids = Array.from(
    { length: todos },
    (_, n) => `019a9d5e-0000-7000-8000-${String(n).padStart(12, '0')}`,
  )
  return { headers: {}, ids, etagOf: async () => '"1"', allIds: async () => ids }
}

const idOf = (todo: unknown) => String((todo as { todoId: unknown }).todoId)

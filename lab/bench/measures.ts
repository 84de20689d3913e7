import { median } from '#lab/median.ts'
import { openClient } from './client.ts'
import type { Host } from './host.ts'
import { load, type RequestSpec } from './load.ts'
import { pageSize, walk } from './walk.ts'

/** Microseconds per request in this turn. */
export type Measure = (turn: number) => Promise<number>

const measuredMs = 400
/** Warm-up: other services have used the processor since. */
const warmUpMs = 100
const connections = 32

/** The measures of a service that holds members and todos, by name. */
export const measuresOf = async (origin: string, host: Host): Promise<ReadonlyMap<string, Measure>> => {
  const members = await walk(origin, '/api/v1/members', 'memberId')
  const todos = await walk(origin, '/api/v1/todos', 'todoId')
  const rateOf = rates(origin, host)
  return new Map([
    ['GET one member', rateOf(reads('/api/v1/members', members.ids))],
    ['GET one todo', rateOf(reads('/api/v1/todos', todos.ids))],
    ['Cursor page of 100, first', pagesOf(origin, members.pages.first)],
    ['Cursor page of 100, middle', pagesOf(origin, members.pages.middle)],
    ['Cursor page of 100, last', pagesOf(origin, members.pages.last)],
    ['POST a todo', rateOf([create])],
  ])
}

const reads = (path: string, ids: readonly string[]) =>
  ids.map((id): RequestSpec => ({ method: 'GET', path: `${path}/${id}` }))

const create: RequestSpec = {
  method: 'POST',
  path: '/api/v1/todos',
  headers: { 'Content-Type': 'application/json' },
  body: '{"todoTitle":"Buy milk and bread"}',
}

const rates =
  (origin: string, host: Host) =>
  (specs: readonly RequestSpec[]): Measure => {
    const shape = { origin, specs, connections }
    return async () => {
      await load({ ...shape, durationMs: warmUpMs })
      return host.undisturbed(async () => {
        const { requests, durationMs, refusals } = await load({ ...shape, durationMs: measuredMs })
        if (refusals > 0) throw new Error(`${refusals} of ${requests} were refused`)
        return (durationMs * 1000) / requests
      })
    }
  }

/** Requests pages one after the other. Each turn has its own page size, so that no page has been made before. */
const pagesOf =
  (origin: string, pages: readonly string[]): Measure =>
  async (turn) => {
    const client = openClient(origin)
    const times = []
    for (const page of pages) {
      const startedAtMs = performance.now()
      const { status } = await client.request('GET', page.replace(/size=\d+/, `size=${pageSize - turn}`))
      if (status !== 200) throw new Error(`${page} answered ${status}`)
      times.push((performance.now() - startedAtMs) * 1000)
    }
    client.close()
    return median(times)
  }

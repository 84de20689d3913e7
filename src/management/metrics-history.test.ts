import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openCounts } from './counts.ts'
import { openHistory } from './metrics-history.ts'

type Reading = Readonly<Record<string, number>> & { readonly durations: readonly number[] }

const open = (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const counts = openCounts()
  const history = openHistory(counts)
  t.after(history.stop)
  return { counts, readings: (): readonly Reading[] => JSON.parse(history.json()).readings }
}

const nothing = { reads: 0, writes: 0, clientErrors: 0, serverErrors: 0 }

for (const [method, route, status, counted] of [
  ['GET', '/todos', 200, { reads: 1 }],
  ['HEAD', '/todos', 304, { reads: 1 }],
  ['POST', '/todos', 201, { writes: 1 }],
  ['GET', '/todos/:todoId', 404, { reads: 1, clientErrors: 1 }],
  ['GET', '-', 404, { reads: 1, clientErrors: 1 }],
  ['DELETE', '/members/:memberId', 503, { writes: 1, serverErrors: 1 }],
  ['GET', '/', 200, {}],
  ['GET', '/assets', 200, {}],
  ['GET', '/docs/errors/:code', 404, {}],
  ['GET', '/health/ready', 503, {}],
  ['GET', '/metrics/past', 200, {}],
  ['GET', '/changes', 200, {}],
] as const)
  test(`${method} ${route} with ${status} counts as ${JSON.stringify(counted)}`, (t) => {
    const { counts, readings } = open(t)
    counts.requests.observe({ method, route, status, ms: 700 })
    const { reads, writes, clientErrors, serverErrors, durations } = readings().at(-1) as Reading
    assert.deepEqual({ reads, writes, clientErrors, serverErrors }, { ...nothing, ...counted })
    const isOfApi = Object.keys(counted).length > 0
    assert.deepEqual(
      durations,
      Array.from({ length: 16 }, (_, at) => Number(isOfApi && at >= 11)),
    )
  })

for (const [passed, shown, first] of [
  [0, 2, 0],
  [1, 3, 0],
  [239, 241, 0],
  [240, 241, 1],
  [1_000, 241, 761],
] as const)
  test(`after ${passed} intervals of 15 s there are ${shown} readings: the first had ${first} commits, the last is taken now`, (t) => {
    const { counts, readings } = open(t)
    for (let turn = 0; turn < passed; turn++) {
      counts.committed(3, 1)
      t.mock.timers.tick(15_000)
    }
    counts.committed(3, 1)
    const all = readings()
    assert.equal(all.length, shown)
    assert.equal(all[0]?.commits, first)
    assert.deepEqual([all.at(-1)?.commits, all.at(-1)?.committedWrites], [passed + 1, 3 * passed + 3])
  })

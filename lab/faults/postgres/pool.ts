import { join } from 'node:path'
import postgres from 'postgres'
import { openService } from '#lab/service.ts'
import { defaultLimits } from '../../../src/sql/postgres/limits.ts'
import { openServer, urlOf } from '../../../test/postgres-server.ts'
import type { Fault } from '../fault.ts'
import { complaintsAboutAnswers, probe, until } from '../probe.ts'

const requestsAtOnce = 60
/** How many writes wait for the lock at once; all others wait in the queue. */
const lockWaiters = defaultLimits.writesAlone
const lineBoundMs = 1_500
const boundMs = 5_000

/** The table is locked: every connection waits for it, and further requests wait for a connection. */
export const pool: Fault = {
  name: 'pool exhausted',
  engine: 'postgres',
  promise:
    'A request that gets no connection is answered 503 in bounded time, and the service recovers by itself.',
  async run({ directory }) {
    const server = await openServer(join(directory, 'postgres'))
    const other = postgres(urlOf(server), { max: 1, onnotice: () => {} })
    const service = await openService({ databaseUrl: urlOf(server) })
    const one = probe(service.url, 30_000)
    await one.write()
    const answers = await other.begin(async (tx) => {
      await tx`LOCK TABLE todo IN ACCESS EXCLUSIVE MODE`
      return Promise.all(Array.from({ length: requestsAtOnce }, one.write))
    })
    const healedMs = await until(one.write, 201)
    const slowest = answers.map(({ ms }) => Math.round(ms)).toSorted((one, other) => other - one)
    const [slowestMs = 0, lineMs = 0] = [slowest[0], slowest[lockWaiters]]
    return {
      figure: `${answers.length} writes, all 503: ${answers.length - lockWaiters} within ${lineMs} ms, the other ${lockWaiters} within ${slowestMs} ms, healed after ${healedMs} ms`,
      broken: complaintsAboutAnswers(answers),
      slow: [
        ...(lineMs > lineBoundMs ? [`a write waited ${lineMs} ms in the queue`] : []),
        ...(slowestMs > boundMs ? [`a write waited ${slowestMs} ms`] : []),
      ],
      figures: { refused: answers.length, lineMs, slowestMs, healedMs },
    }
  },
}

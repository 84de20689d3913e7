import { join } from 'node:path'
import postgres from 'postgres'
import type { Fault } from '../fault.ts'
import { notUnavailable, type Probed, probe, until } from '../probe.ts'
import { openService } from '../service.ts'
import { openServer, urlOf } from './server.ts'

const requestsAtOnce = 60
/** Who waits in line, and who waits for the lock. */
const lineBoundMs = 1_500
const boundMs = 5_000

/** Somebody locks the table: every connection waits, and those who want one wait for them. */
export const pool: Fault = {
  name: 'pool exhausted',
  engine: 'postgres',
  promise: 'Whoever finds no connection is answered 503 in bounded time, and it heals by itself.',
  async run({ directory }) {
    const server = await openServer(join(directory, 'postgres'))
    const other = postgres(urlOf(server), { max: 1, onnotice: () => {} })
    try {
      const service = await openService({ databaseUrl: urlOf(server) })
      const one = probe(service.url, 30_000)
      await one.write()
      const answers = await other.begin(async (tx) => {
        await tx`LOCK TABLE todo IN ACCESS EXCLUSIVE MODE`
        return Promise.all(Array.from({ length: requestsAtOnce }, one.write))
      })
      const healedMs = await until(one.write, 201)
      await service.end('SIGTERM')
      // A lock that was waited for in vain is a conflict; a connection, no storage.
      const conflicts = answers.filter(({ status, code }) => status === 409 && code === 'e.xx.fw.8002')
      const others = answers.filter((answer) => !conflicts.includes(answer))
      const slowestMs = slowestOf(answers)
      const lineMs = slowestOf(others)
      return {
        figure: `${answers.length} writes: ${others.length} 503 within ${lineMs} ms, ${conflicts.length} 409, all within ${slowestMs} ms, healed after ${healedMs} ms`,
        broken: [...notUnavailable(others), ...(others.length === 0 ? ['the pool was never exhausted'] : [])],
        slow: [
          ...(lineMs > lineBoundMs ? [`a write waited ${lineMs} ms in line`] : []),
          ...(slowestMs > boundMs ? [`a write waited ${slowestMs} ms`] : []),
        ],
        figures: { refused: others.length, lineMs, slowestMs, healedMs },
      }
    } finally {
      await other.end({ timeout: 1 })
      await server.stop('SIGKILL')
    }
  },
}

const slowestOf = (answers: readonly Probed[]) => Math.round(Math.max(...answers.map(({ ms }) => ms)))

import type { Fault } from '../fault.ts'
import { notUnavailable, probe, until } from '../probe.ts'
import { openService } from '../service.ts'
import { openPair } from './pair.ts'

const writesWhileStalled = 8
const boundMs = 25_000

/** The synchronous standby stands still: it neither confirms nor goes away. */
export const stalled: Fault = {
  name: 'standby stands still',
  engine: 'postgres',
  promise:
    'Writes are answered 503 in bounded time, never 201; reads go on; with the standby back, writes do too.',
  async run({ directory, progress }) {
    const pair = await openPair({ directory, isSynchronous: true })
    try {
      const service = await openService({ databaseUrl: pair.url })
      const one = probe(service.url, 60_000)
      await one.write()
      const receivers = pair.standby.processes('walreceiver')
      for (const pid of receivers) process.kill(pid, 'SIGSTOP')
      progress(0.3)
      const writing = Promise.all(Array.from({ length: writesWhileStalled }, one.write))
      const reads = await Promise.all(Array.from({ length: 10 }, one.read))
      const writes = await writing
      progress(0.9)
      for (const pid of receivers) process.kill(pid, 'SIGCONT')
      const healedMs = await until(one.write, 201, 30_000)
      await service.end('SIGTERM')
      const acknowledged = writes.filter(({ status }) => status === 201).length
      const slowestMs = Math.round(Math.max(...writes.map(({ ms }) => ms)))
      return {
        figure: `${writes.length} writes: ${acknowledged} acknowledged, 503 after ${slowestMs} ms, healed after ${healedMs} ms`,
        broken: [
          ...notUnavailable(writes),
          ...reads
            .filter(({ status }) => status !== 200)
            .map(({ status }) => `a read was answered ${status}`),
          ...(slowestMs > boundMs ? [`a write waited ${slowestMs} ms`] : []),
        ],
        figures: { acknowledged, slowestMs, healedMs },
      }
    } finally {
      await pair.close()
    }
  },
}

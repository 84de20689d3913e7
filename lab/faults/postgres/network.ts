import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openProxy, type Weather } from '../../../test/proxy.ts'
import type { Fault } from '../fault.ts'
import { openService } from '../service.ts'
import { brokenIn, healed, watched } from '../watched.ts'
import { openServer, urlOf } from './server.ts'

const weathers: readonly Weather[] = [
  { is: 'slow', delayMs: 60 },
  { is: 'reset' },
  { is: 'cutting', share: 0.02 },
  { is: 'blackhole' },
]

const weatherMs = 2500

/** The network between service and PostgreSQL is slow, resets connections, cuts off answers, or drops everything. */
export const network: Fault = {
  name: 'bad network to PostgreSQL',
  engine: 'postgres',
  promise:
    'Nothing acknowledged is lost, a write whose commit was not answered is not acknowledged, and the service recovers by itself.',
  async run({ directory, progress }) {
    const server = await openServer(join(directory, 'postgres'))
    const proxy = await openProxy({ port: server.port })
    try {
      const service = await openService({ databaseUrl: urlOf(proxy) })
      let healedMs = 0
      const report = await watched({
        urls: [service.url],
        async disturb(history) {
          for (const [index, weather] of weathers.entries()) {
            await history.fault(weather.is, async () => {
              proxy.turn(weather)
              await sleep(weatherMs)
              proxy.turn({ is: 'fair' })
              healedMs = Math.max(healedMs, await healed(history, service.url))
            })
            await history.goOn({ ms: 1500 })
            progress((index + 1) / weathers.length)
          }
        },
      })
      await service.end('SIGTERM')
      return {
        figure: `${weathers.length} kinds: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes wrong, healed after ≤ ${healedMs} ms`,
        broken: brokenIn(report),
        figures: { healedMs, ...report.figures },
        timeline: report.timeline,
      }
    } finally {
      await proxy.close()
      await server.stop('SIGKILL')
    }
  },
}

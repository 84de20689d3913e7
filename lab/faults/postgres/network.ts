import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openService } from '#lab/service.ts'
import { openServer, urlOf } from '../../../test/postgres-server.ts'
import { openProxy, type Weather } from '../../../test/proxy.ts'
import type { Fault } from '../fault.ts'
import { outcomeOf, runWithHistory, untilCreated } from '../run-with-history.ts'

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
    const { url } = await openService({ databaseUrl: urlOf(proxy) })
    let healedMs = 0
    const report = await runWithHistory({
      urls: [url],
      calmMs: 1500,
      progress,
      disturbances: weathers.map((weather) => ({
        name: weather.is,
        async act(history) {
          proxy.turn(weather)
          await sleep(weatherMs)
          proxy.turn({ is: 'fair' })
          healedMs = Math.max(healedMs, await untilCreated(history, url))
        },
      })),
    })
    const figure = `${weathers.length} kinds: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes wrong, healed after ≤ ${healedMs} ms`
    return outcomeOf(report, figure, { healedMs })
  },
}

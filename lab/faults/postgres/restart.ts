import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, rounds } from '../fault.ts'
import { openService } from '../service.ts'
import { brokenIn, healed, watched } from '../watched.ts'
import { openServer, urlOf } from './server.ts'

const signals = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const

/** PostgreSQL is restarted: by a fast shutdown, an immediate one, and a crash. */
export const restart: Fault = {
  name: 'PostgreSQL restarted',
  engine: 'postgres',
  promise: 'Nothing acknowledged is lost, and the service recovers by itself.',
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    try {
      const service = await openService({ databaseUrl: urlOf(server) })
      const restarts = rounds(stage, 9)
      const healings: number[] = []
      const report = await watched({
        urls: [service.url],
        async disturb(history) {
          for (let round = 0; round < restarts; round++) {
            const signal = signals[round % signals.length] ?? 'SIGINT'
            await history.fault(`restart by ${signal}`, async () => {
              await server.stop(signal)
              await sleep(200)
              await server.start()
              healings.push(await healed(history, service.url))
            })
            await history.goOn({ ms: 500 })
            stage.progress((round + 1) / restarts)
          }
        },
      })
      await service.end('SIGTERM')
      const healedMs = Math.max(...healings)
      return {
        figure: `${restarts} restarts: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes lost, writing again ≤ ${healedMs} ms after it was back`,
        broken: brokenIn(report),
        figures: { restarts, healedMs, ...report.figures },
        timeline: report.timeline,
      }
    } finally {
      await server.stop('SIGKILL')
    }
  },
}

import { join } from 'node:path'
import { openProxy } from '../../../test/proxy.ts'
import { type Fault, rounds } from '../fault.ts'
import { openService, type Service } from '../service.ts'
import { brokenIn, orphanCredentials, watched } from '../watched.ts'
import { ask, openServer, urlOf } from './server.ts'

/** Two instances on one database, started together and killed in turn, while answers are cut off on the way. */
export const instances: Fault = {
  name: 'two instances, one killed',
  engine: 'postgres',
  promise:
    'They act as one: what one acknowledged, the other shows; a repeated key makes one row, at either instance.',
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    const open = (port?: number) => openService({ databaseUrl: urlOf(server), ...(port && { port }) })
    const services: Service[] = await Promise.all([open(), open()])
    const proxies = await Promise.all(services.map(({ port }) => openProxy({ port })))
    try {
      const kills = rounds(stage, 10)
      const report = await watched({
        urls: proxies.map(({ url }) => url),
        memberProcesses: 2,
        endUrl: () => services[0]?.url ?? '',
        orphans: async () => (await ask(urlOf(server), orphanCredentials)).length,
        async disturb(history) {
          for (let round = 0; round < kills; round++) {
            const which = round % 2
            await history.fault(`kill instance ${which}`, async () => {
              proxies[1 - which]?.turn({ is: 'cutting', share: 0.05 })
              const service = services[which]
              await service?.end('SIGKILL')
              services[which] = await open(service?.port)
            })
            for (const proxy of proxies) proxy.turn({ is: 'fair' })
            await history.goOn({ ms: 500 })
            stage.progress((round + 1) / kills)
          }
        },
      })
      return {
        figure: `${kills} kills: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes lost, doubled or stale`,
        broken: brokenIn(report),
        figures: { kills, cutAnswers: proxies.reduce((sum, { cuts }) => sum + cuts, 0), ...report.figures },
        timeline: report.timeline,
      }
    } finally {
      for (const proxy of proxies) await proxy.close()
      for (const service of services) await service.end('SIGKILL')
      await server.stop('SIGKILL')
    }
  },
}

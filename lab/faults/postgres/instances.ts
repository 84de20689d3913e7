import { join } from 'node:path'
import { administer, openServer, urlOf } from '../../../test/postgres-server.ts'
import { openProxy } from '../../../test/proxy.ts'
import { type Fault, rounds } from '../fault.ts'
import { openInstance } from '../instance.ts'
import { inRounds, orphanCredentials, outcomeOf, runWithHistory } from '../run-with-history.ts'

/** Two instances on one database, started together and killed in turn, while answers are cut off on the way. */
export const instances: Fault = {
  name: 'two instances, one killed',
  engine: 'postgres',
  promise:
    'They act as one: what one acknowledged, the other shows; a repeated key makes one row, at either instance.',
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    const services = await Promise.all([1, 2].map(() => openInstance(urlOf(server))))
    const proxies = await Promise.all(services.map(({ port }) => openProxy({ port })))
    const kills = rounds(stage, 10)
    const report = await runWithHistory({
      urls: proxies.map(({ url }) => url),
      memberProcesses: 2,
      endUrl: () => services[0]?.url ?? '',
      orphans: async () => (await administer(urlOf(server), orphanCredentials)).length,
      progress: stage.progress,
      disturbances: inRounds(
        kills,
        (round) => `kill instance ${round % 2}`,
        async (round) => {
          const other = proxies[1 - (round % 2)]
          other?.turn({ is: 'cutting', share: 0.05 })
          await services[round % 2]?.restart('SIGKILL')
          other?.turn({ is: 'fair' })
        },
      ),
    })
    const cutAnswers = proxies.reduce((sum, { cuts }) => sum + cuts, 0)
    const figure = `${kills} kills: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes lost, doubled or stale`
    return outcomeOf(report, figure, { kills, cutAnswers })
  },
}

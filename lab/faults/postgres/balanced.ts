import { join } from 'node:path'
import { needsBalancer, openBalancer, type Program } from '../../../test/operations/real-balancer.ts'
import { administer, openServer, urlOf } from '../../../test/postgres-server.ts'
import { type Fault, rounds } from '../fault.ts'
import { openInstance } from '../instance.ts'
import { inRounds, orphanCredentials, outcomeOf, runWithHistory, untilCreated } from '../run-with-history.ts'

/** Three instances behind a balancer, started together, restarted in turn and killed, under the load of histories. */
const balanced = (program: Program): Fault => ({
  name: `three instances behind ${program}`,
  engine: 'postgres',
  promise: 'They act as one: what one acknowledged, any other shows, whichever is stopped and started.',
  unable: needsBalancer(program),
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    const instances = await Promise.all([1, 2, 3].map(() => openInstance(urlOf(server))))
    const { url } = await openBalancer(program, stage.directory, instances)
    const changes = rounds(stage, 9)
    const signalOf = (round: number) => (round % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
    const report = await runWithHistory({
      urls: [url],
      memberProcesses: 2,
      mayRepeat: program === 'nginx',
      orphans: async () => (await administer(urlOf(server), orphanCredentials)).length,
      progress: stage.progress,
      disturbances: inRounds(
        changes,
        (round) => `${signalOf(round)} to instance ${round % instances.length}`,
        async (round, history) => {
          await instances[round % instances.length]?.restart(signalOf(round))
          await untilCreated(history, url)
        },
      ),
    })
    const figure = `${changes} restarts and kills: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes lost, doubled or stale`
    return outcomeOf(report, figure, { changes })
  },
})

export const behindHaproxy = balanced('haproxy')
export const behindNginx = balanced('nginx')

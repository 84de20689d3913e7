import { join } from 'node:path'
import { needsBalancer, openBalancer, type Program } from '../../../test/operations/real-balancer.ts'
import { type Fault, rounds } from '../fault.ts'
import { brokenIn, healed, orphanCredentials, watched } from '../watched.ts'
import { openInstance } from './fleet.ts'
import { ask, openServer, urlOf } from './server.ts'

/** Three instances behind a balancer, started together, restarted in turn and killed, under the load of histories. */
const balanced = (program: Program): Fault => ({
  name: `three instances behind ${program}`,
  engine: 'postgres',
  promise: 'They act as one: what one acknowledged, any other shows, whichever is stopped and started.',
  unable: needsBalancer(program),
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    const instances = await Promise.all([1, 2, 3].map(() => openInstance(urlOf(server))))
    const balancer = await openBalancer(program, stage.directory, instances)
    try {
      const changes = rounds(stage, 9)
      const report = await watched({
        urls: [balancer.url],
        memberProcesses: 2,
        mayRepeat: program === 'nginx',
        orphans: async () => (await ask(urlOf(server), orphanCredentials)).length,
        async disturb(history) {
          for (let round = 0; round < changes; round++) {
            const which = round % instances.length
            const signal = round % 2 === 0 ? 'SIGTERM' : 'SIGKILL'
            await history.fault(`${signal} to instance ${which}`, async () => {
              await instances[which]?.restart(signal)
            })
            await healed(history, balancer.url)
            await history.goOn({ ms: 500 })
            stage.progress((round + 1) / changes)
          }
        },
      })
      return {
        figure: `${changes} restarts and kills: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes lost, doubled or stale`,
        broken: brokenIn(report),
        figures: { changes, ...report.figures },
        timeline: report.timeline,
      }
    } finally {
      await balancer.close()
      for (const instance of instances) await instance.end()
      await server.stop('SIGKILL')
    }
  },
})

export const behindHaproxy = balanced('haproxy')
export const behindNginx = balanced('nginx')

import { setTimeout as sleep } from 'node:timers/promises'
import { openService } from '#lab/service.ts'
import { openPair, type Pair } from '../../../test/postgres-pair.ts'
import type { Fault, Stage } from '../fault.ts'
import { count, outcomeOf, runWithHistory, untilCreated } from '../run-with-history.ts'

/** Under load, the standby is cut off from the primary, then the primary is killed and the standby promoted. */
export const failover: Fault = {
  name: 'failover to a synchronous standby',
  engine: 'postgres',
  promise: 'Nothing acknowledged is lost, and the service finds the new primary by itself.',
  async run(stage) {
    const { report, healedMs } = await watchFailover(stage, true)
    const figure = `${report.findings.length} of ${report.figures.acknowledgedWrites} writes lost, writing again after ${healedMs} ms`
    return outcomeOf(report, figure, { healedMs })
  },
}

/** The control: commits do not wait for the standby, so what it has not yet received is lost, and the checker finds it. */
export const asynchronousFailover: Fault = {
  name: 'failover to an asynchronous standby',
  engine: 'postgres',
  promise: 'As a control: writes are lost, and the history shows it.',
  async run(stage) {
    const { report, healedMs } = await watchFailover(stage, false)
    const lost = count(report, 'lost', 'not linearizable')
    return {
      figure: `${lost} losses found in ${report.figures.acknowledgedWrites} writes, as expected`,
      broken: [...report.void.map((why) => `void: ${why}`), ...(lost > 0 ? [] : ['nothing was found lost'])],
      figures: { healedMs, lost, controlWrites: report.figures.acknowledgedWrites },
    }
  },
}

/** The standby is cut off while writes go on. Then the primary is killed, and the standby promoted. */
export const failOver = async ({ link, primary, promote }: Pair) => {
  await sleep(1000)
  // From now on, no write reaches the standby.
  link.turn({ is: 'blackhole' })
  await sleep(700)
  await primary.stop('SIGKILL')
  await promote()
}

const watchFailover = async ({ directory, progress }: Stage, isSynchronous: boolean) => {
  const pair = await openPair({ directory, isSynchronous })
  const service = await openService({ databaseUrl: pair.url })
  let healedMs = 0
  const report = await runWithHistory({
    urls: [service.url],
    progress,
    disturbances: [
      {
        name: 'failover',
        async act(history) {
          await failOver(pair)
          healedMs = await untilCreated(history, service.url)
        },
      },
    ],
  })
  return { report, healedMs }
}

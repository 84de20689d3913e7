import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault, Stage } from '../fault.ts'
import { openService } from '../service.ts'
import { brokenIn, count, healed, watched } from '../watched.ts'
import { openPair, type Pair } from './pair.ts'

/** Under load, the standby is cut off from the primary, then the primary is killed and the standby promoted. */
export const failover: Fault = {
  name: 'failover to a synchronous standby',
  engine: 'postgres',
  promise: 'Nothing acknowledged is lost, and the service finds the new primary by itself.',
  async run(stage) {
    const { report, healedMs } = await failOver(stage, true)
    return {
      figure: `${report.findings.length} of ${report.figures.acknowledgedWrites} writes lost, writing again after ${healedMs} ms`,
      broken: brokenIn(report),
      figures: { healedMs, ...report.figures },
      timeline: report.timeline,
    }
  },
}

/** The control: commits do not wait for the standby, so what it has not yet received is lost, and the checker finds it. */
export const asynchronousFailover: Fault = {
  name: 'failover to an asynchronous standby',
  engine: 'postgres',
  promise: 'As a control: writes are lost, and the history shows it.',
  async run(stage) {
    const { report, healedMs } = await failOver(stage, false)
    const lost = count(report, 'lost', 'not linearizable')
    return {
      figure: `${lost} losses found in ${report.figures.acknowledgedWrites} writes, as must be`,
      broken: [...report.void.map((why) => `void: ${why}`), ...(lost > 0 ? [] : ['nothing was found lost'])],
      figures: { healedMs, lost, controlWrites: report.figures.acknowledgedWrites },
      timeline: report.timeline,
    }
  },
}

const failOver = async ({ directory, progress }: Stage, isSynchronous: boolean) => {
  const pair = await openPair({ directory, isSynchronous })
  try {
    const service = await openService({ databaseUrl: pair.url })
    let healedMs = 0
    const report = await watched({
      urls: [service.url],
      async disturb(history) {
        await sleep(1000)
        progress(0.4)
        await history.fault('failover', async () => {
          await stopReceiving(pair)
          await pair.primary.stop('SIGKILL')
          await pair.promote()
          healedMs = await healed(history, service.url)
        })
        progress(0.8)
      },
    })
    await service.end('SIGTERM')
    return { report, healedMs }
  } finally {
    await pair.close()
  }
}

/** From now on, no write reaches the standby. */
const stopReceiving = async ({ link }: Pair) => {
  link.turn({ is: 'blackhole' })
  await sleep(700)
}

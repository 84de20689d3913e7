import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, rounds } from '../fault.ts'
import { freePort, openService } from '../service.ts'
import { brokenIn, watched } from '../watched.ts'

const stopLimitMs = 10_000

/** SIGTERM while everybody works, and a new process on the same file. */
export const sigterm: Fault = {
  name: 'SIGTERM under load',
  engine: 'sqlite',
  promise: 'Every request that was heard is answered, and it ends with 0 within 10 s.',
  async run(stage) {
    const port = await freePort()
    const open = () => openService({ databaseUrl: `sqlite:${join(stage.directory, 'rollcall.db')}`, port })
    let service = await open()
    const stops = rounds(stage, 10)
    const ends: { exit: number | string; ms: number }[] = []
    const report = await watched({
      urls: [service.url],
      async disturb(history) {
        for (let round = 0; round < stops; round++) {
          await history.fault('SIGTERM', async () => {
            const startedAt = performance.now()
            ends.push({ exit: await service.end('SIGTERM'), ms: performance.now() - startedAt })
            service = await open()
          })
          await sleep(300)
          stage.progress((round + 1) / stops)
        }
      },
    })
    await service.end('SIGTERM')
    const slowestMs = Math.round(Math.max(...ends.map(({ ms }) => ms)))
    const { unknown } = report.figures
    return {
      figure: `${stops} stops: ${unknown} requests without an answer of ${report.figures.operations}, ended in ≤ ${slowestMs} ms`,
      broken: [
        ...brokenIn(report),
        ...ends.filter(({ exit }) => exit !== 0).map(({ exit }) => `it ended with ${exit}`),
        ...(unknown > 0 ? [`${unknown} requests had no answer`] : []),
      ],
      slow: slowestMs > stopLimitMs ? [`it took ${slowestMs} ms to end`] : [],
      figures: { stops, slowestMs, ...report.figures },
      timeline: report.timeline,
    }
  },
}

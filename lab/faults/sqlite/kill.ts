import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '../../../test/free-port.ts'
import { type Fault, rounds } from '../fault.ts'
import { openService } from '../service.ts'
import { brokenIn, orphanCredentials, watched } from '../watched.ts'

const readyWithinMs = 2000

/** kill -9 while sixteen processes work, repeatedly, on the same file. */
export const kill: Fault = {
  name: 'kill -9',
  engine: 'sqlite',
  promise: 'Nothing acknowledged is lost, and the service is ready again within 2 s.',
  async run({ directory, progress, ...stage }) {
    const port = await freePort()
    const file = join(directory, 'rollcall.db')
    const open = () => openService({ databaseUrl: `sqlite:${file}`, port })
    let service = await open()
    const ready: number[] = []
    const kills = rounds({ directory, progress, ...stage }, 50)
    const report = await watched({
      urls: [service.url],
      processes: 16,
      orphans: () => orphansIn(file),
      async disturb(history) {
        for (let round = 0; round < kills; round++) {
          await history.fault('kill -9', async () => {
            await service.end('SIGKILL')
            service = await open()
          })
          ready.push(service.readyMs)
          await history.goOn({ ms: 200 + Math.random() * 200 })
          progress((round + 1) / kills)
        }
      },
    })
    await service.end('SIGTERM')
    const slowestMs = Math.round(Math.max(...ready))
    const slow = slowestMs > readyWithinMs ? [`ready only after ${slowestMs} ms`] : []
    return {
      figure: `${kills} kills: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes lost, ready in ≤ ${slowestMs} ms`,
      broken: brokenIn(report),
      slow,
      figures: { kills, slowestMs, ...report.figures },
      timeline: report.timeline,
    }
  },
}

const orphansIn = (file: string) => {
  using db = new DatabaseSync(file, { readOnly: true })
  return db.prepare(orphanCredentials).all().length
}

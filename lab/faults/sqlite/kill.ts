import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openService } from '#lab/service.ts'
import { freePort } from '../../../test/free-port.ts'
import { type Fault, rounds } from '../fault.ts'
import { inRounds, orphanCredentials, outcomeOf, runWithHistory } from '../run-with-history.ts'

const readyWithinMs = 2000

/** kill -9 while sixteen processes work, repeatedly, on the same file. */
export const kill: Fault = {
  name: 'kill -9',
  engine: 'sqlite',
  promise: 'Nothing acknowledged is lost, and the service is ready again within 2 s.',
  async run(stage) {
    const port = await freePort()
    const file = join(stage.directory, 'rollcall.db')
    const open = () => openService({ databaseUrl: `sqlite:${file}`, port })
    let service = await open()
    const ready: number[] = []
    const kills = rounds(stage, 50)
    const report = await runWithHistory({
      urls: [service.url],
      processes: 16,
      orphans: () => orphansIn(file),
      calmMs: 300,
      progress: stage.progress,
      disturbances: inRounds(
        kills,
        () => 'kill -9',
        async () => {
          await service.end('SIGKILL')
          service = await open()
          ready.push(service.readyMs)
        },
      ),
    })
    const slowestMs = Math.round(Math.max(...ready))
    const slow = slowestMs > readyWithinMs ? [`ready only after ${slowestMs} ms`] : []
    const figure = `${kills} kills: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes lost, ready in ≤ ${slowestMs} ms`
    return { ...outcomeOf(report, figure, { kills, slowestMs }), slow }
  },
}

const orphansIn = (file: string) => {
  using db = new DatabaseSync(file, { readOnly: true })
  return db.prepare(orphanCredentials).all().length
}

import { join } from 'node:path'
import { openService } from '#lab/service.ts'
import { freePort } from '../../../test/free-port.ts'
import { type Fault, rounds } from '../fault.ts'
import { brokenIn, inRounds, runWithHistory } from '../run-with-history.ts'

const stopLimitMs = 15_000

/**
 * SIGTERM under load, then a new process on the same file. A connection attempt at the moment when the service stops
 * listening is refused by the system; only requests that appear in the service's log reached it.
 */
export const sigterm: Fault = {
  name: 'SIGTERM under load',
  engine: 'sqlite',
  promise: 'Every request that reached the service is answered, and it exits with 0 within 15 s.',
  async run(stage) {
    const port = await freePort()
    const databaseUrl = `sqlite:${join(stage.directory, 'rollcall.db')}`
    let log = ''
    const onLog = (text: string) => {
      log += text
    }
    const open = () => openService({ databaseUrl, port, onLog, settings: { LOG_LEVEL: 'info' } })
    let service = await open()
    const stops = rounds(stage, 10)
    const ends: { exit: number | string; ms: number }[] = []
    const unanswered: string[] = []
    const report = await runWithHistory({
      urls: [service.url],
      unanswered: (track) => unanswered.push(track),
      calmMs: 1000,
      progress: stage.progress,
      disturbances: inRounds(
        stops,
        () => 'SIGTERM',
        async () => {
          const startedAt = performance.now()
          ends.push({ exit: await service.end('SIGTERM'), ms: performance.now() - startedAt })
          service = await open()
        },
      ),
    })
    await service.end('SIGTERM')
    const slowestMs = Math.round(Math.max(...ends.map(({ ms }) => ms)))
    const noted = log.split('\n').filter((line) => line.includes('"track"')).length
    const heardInVain = unanswered.filter((track) => log.includes(track))
    return {
      figure: `${stops} stops, ${report.figures.operations} requests: ${unanswered.length} not answered, of which ${heardInVain.length} had reached the service; stopped in ≤ ${slowestMs} ms`,
      broken: [
        ...brokenIn(report),
        ...ends.filter(({ exit }) => exit !== 0).map(({ exit }) => `it ended with ${exit}`),
        ...heardInVain.slice(0, 3).map((track) => `${track} reached the service and was not answered`),
        ...(noted === 0 ? ['the log notes no request'] : []),
      ],
      slow: slowestMs > stopLimitMs ? [`it took ${slowestMs} ms to end`] : [],
      figures: {
        stops,
        slowestMs,
        heardInVain: heardInVain.length,
        turnedAway: unanswered.length,
        ...report.figures,
      },
    }
  },
}

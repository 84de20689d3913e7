import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openService } from '#lab/service.ts'
import { openServer, type PostgresServer, urlOf } from '../../../test/postgres-server.ts'
import { type Fault, rounds } from '../fault.ts'
import { inRounds, outcomeOf, runWithHistory, untilCreated } from '../run-with-history.ts'

const signals = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const
const signalOf = (round: number) => signals[round % signals.length] ?? 'SIGINT'

/** In turn by a fast shutdown, an immediate one, and a crash. */
export const restartServer = async (server: PostgresServer, round: number) => {
  await server.stop(signalOf(round))
  await sleep(200)
  await server.start()
}

/** PostgreSQL is restarted: by a fast shutdown, an immediate one, and a crash. */
export const restart: Fault = {
  name: 'PostgreSQL restarted',
  engine: 'postgres',
  promise: 'Nothing acknowledged is lost, and the service recovers by itself.',
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    const { url } = await openService({ databaseUrl: urlOf(server) })
    const restarts = rounds(stage, 9)
    let healedMs = 0
    const report = await runWithHistory({
      urls: [url],
      progress: stage.progress,
      disturbances: inRounds(
        restarts,
        (round) => `restart by ${signalOf(round)}`,
        async (round, history) => {
          await restartServer(server, round)
          healedMs = Math.max(healedMs, await untilCreated(history, url))
        },
      ),
    })
    const figure = `${restarts} restarts: ${report.findings.length} of ${report.figures.acknowledgedWrites} writes lost, writing again ≤ ${healedMs} ms after it was back`
    return outcomeOf(report, figure, { restarts, healedMs })
  },
}

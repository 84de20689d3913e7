import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openService } from '#lab/service.ts'
import { spawnService } from '../../../test/operations/child.ts'
import { type Fault, rounds } from '../fault.ts'
import { probe } from '../probe.ts'

/** kill -9 during a first start, while the tables are created. */
export const killMigration: Fault = {
  name: 'kill in a migration',
  engine: 'sqlite',
  promise: 'The next start completes the migration.',
  async run(stage) {
    const kills = rounds(stage, 30)
    const startMs = await timeToStart(join(stage.directory, 'measure.db'))
    const broken: string[] = []
    for (let round = 0; round < kills; round++) {
      const databaseUrl = `sqlite:${join(stage.directory, `r${round}.db`)}`
      // The tables are created in the last part of a start.
      await killAfter(databaseUrl, startMs * (0.4 + (0.7 * round) / kills))
      const wrong = await startsWell(databaseUrl)
      if (wrong) broken.push(`killed in round ${round}: ${wrong}`)
      stage.progress((round + 1) / kills)
    }
    return {
      figure: `${kills} kills: ${broken.length} faults at the next start`,
      broken,
      figures: { kills },
    }
  },
}

const timeToStart = async (file: string) => {
  const service = await openService({ databaseUrl: `sqlite:${file}` })
  await service.end('SIGTERM')
  return service.readyMs
}

const killAfter = async (databaseUrl: string, ms: number) => {
  const { child, exit } = spawnService({ environment: { DATABASE_URL: databaseUrl } })
  await sleep(ms)
  child.kill('SIGKILL')
  await exit
}

const startsWell = async (databaseUrl: string) => {
  try {
    const service = await openService({ databaseUrl })
    const { status } = await probe(service.url).write()
    await service.end('SIGTERM')
    return status === 201 ? undefined : `a write got ${status}`
  } catch (error) {
    return String(error)
  }
}

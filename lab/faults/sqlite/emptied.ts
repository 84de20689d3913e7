import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { NotReady, openService } from '#lab/service.ts'
import type { Fault } from '../fault.ts'
import { missing, probe } from '../probe.ts'

/** The file is truncated to nothing under the running service. */
export const emptied: Fault = {
  name: 'emptied while running',
  engine: 'sqlite',
  promise:
    'It does not crash, and after a restart it has everything or refuses with exit code 3; it never silently starts empty.',
  async run({ directory }) {
    const file = join(directory, 'rollcall.db')
    const service = await openService({ databaseUrl: `sqlite:${file}` })
    const one = probe(service.url)
    for (let n = 0; n < 1200; n++) await one.write()
    truncateSync(file, 0)
    const answers = []
    for (let n = 0; n < 30; n++) answers.push(await one.write(), await one.read())
    const crashed = answers.some(({ status }) => status === 0)
    await service.end('SIGKILL')
    const after = await startAgain(file, one.created)
    const refused = answers.filter(({ status }) => status === 503).length
    return {
      figure: `${refused} of ${answers.length} answers 503, then ${after.words}`,
      broken: [...(crashed ? ['it did not answer'] : []), ...after.broken],
      figures: { refused },
    }
  },
}

const startAgain = async (file: string, created: readonly string[]) => {
  try {
    const service = await openService({ databaseUrl: `sqlite:${file}`, waitMs: 6000 })
    const gone = await missing(probe(service.url), created)
    await service.end('SIGTERM')
    return {
      words: `${created.length - gone.length} of ${created.length} are there`,
      broken: gone.length > 0 ? [`${gone.length} are lost in silence`] : [],
    }
  } catch (error) {
    if (!(error instanceof NotReady)) throw error
    const isRefusal = error.exit === 3
    return {
      words: 'it refused to start',
      broken: isRefusal ? [] : [`it ended with ${error.exit}: ${error.message}`],
    }
  }
}

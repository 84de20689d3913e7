import { join } from 'node:path'
import { openService } from '#lab/service.ts'
import type { Fault } from '../fault.ts'
import { inject, needsStrace } from '../inject.ts'
import { complaintsAboutAnswers, missing, probe, until } from '../probe.ts'

/** A running service whose kernel fails every write to its disk. */
const refusing = (name: string, error: string, calls: string): Fault => ({
  name,
  engine: 'sqlite',
  promise:
    'Writes get 503 and reads 200; afterwards it recovers by itself, and nothing acknowledged is lost.',
  unable: needsStrace,
  async run({ directory }) {
    const file = join(directory, 'rollcall.db')
    const service = await openService({ databaseUrl: `sqlite:${file}` })
    const one = probe(service.url)
    for (let n = 0; n < 20; n++) await one.write()
    const injection = await inject(service.pid, {
      failures: [{ calls, error }],
      paths: [file, `${file}-wal`],
    })
    const writes = []
    const reads = []
    for (let n = 0; n < 20; n++) {
      writes.push(await one.write())
      reads.push(await one.read())
    }
    await injection.stop()
    const healedMs = await until(one.write, 201)
    await service.end('SIGKILL')
    const again = await openService({ databaseUrl: `sqlite:${file}` })
    const gone = await missing(probe(again.url), one.created)
    await again.end('SIGTERM')
    const refused = writes.filter(({ status }) => status === 503).length
    const answered = reads.filter(({ status }) => status === 200).length
    return {
      figure: `${refused} of ${writes.length} writes 503, ${answered} of ${reads.length} reads 200, healed after ${healedMs} ms`,
      broken: [
        ...complaintsAboutAnswers(writes),
        ...reads.filter(({ status }) => status !== 200).map(({ status }) => `a read got ${status}`),
        ...gone.map((id) => `${id} is lost`),
      ],
      figures: { healedMs, refused, lost: gone.length },
    }
  },
})

export const readOnly = refusing('read-only', 'EROFS', 'pwrite64,ftruncate')

export const failingSync = refusing('fsync fails', 'EIO', 'fsync,fdatasync')

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NotReady, openService, type Service } from '#lab/service.ts'
import { childrenOf } from '../../../test/processes.ts'
import { type Fault, rounds } from '../fault.ts'
import { needsStrace } from '../inject.ts'
import { missing, probe } from '../probe.ts'

const calls = 'openat,pwrite64,fsync,fdatasync,ftruncate,unlink,rename'
const writes = 6

/** They spend most of the time waiting for a start. */
const atOnce = 4

/** Every storage call fails once: the first in one run, the second in the next, and so on. */
export const nthCall: Fault = {
  name: 'the n-th storage call fails',
  engine: 'sqlite',
  promise: 'It refuses to start with a message, or answers 503 and goes on; nothing acknowledged is lost.',
  unable: needsStrace,
  async run(stage) {
    const { progress } = stage
    const total = await countCalls(join(stage.directory, 'counted'))
    const runs = Math.min(total, rounds(stage, total))
    const broken: string[] = []
    const tally = { runs, refusedStarts: 0, refusedWrites: 0 }
    const numbers = Array.from({ length: runs }, (_, run) => 1 + Math.floor((run * total) / runs)).values()
    const worker = async () => {
      for (const n of numbers) {
        const folder = join(stage.directory, `n${n}`)
        const seen = await withFailure(folder, n)
        rmSync(folder, { recursive: true, force: true })
        if (seen.isRefusedStart) tally.refusedStarts++
        tally.refusedWrites += seen.refusedWrites
        broken.push(...seen.broken.map((what) => `call ${n}: ${what}`))
        progress(n / total)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    const { refusedStarts, refusedWrites } = tally
    const lost = broken.filter((what) => what.endsWith('is lost')).length
    return {
      figure: `${runs} of ${total} calls failed: ${refusedStarts} starts and ${refusedWrites} writes refused, ${lost} lost, ${broken.length} faults`,
      broken,
      figures: { ...tally, total, lost },
    }
  },
}

const under = (folder: string, more: readonly string[]) => {
  const file = join(folder, 'rollcall.db')
  const paths = [
    folder,
    file,
    `${file}-wal`,
    `${file}.new`,
    `${file}.new-wal`,
    `${file}.new-journal`,
    `${file}.lock`,
  ]
  return [
    'strace',
    '-f',
    '--seccomp-bpf',
    '-o',
    `${folder}.trace`,
    ...paths.flatMap((path) => ['-P', path]),
    '-e',
    `trace=${calls}`,
    ...more,
  ]
}

const url = (folder: string) => `sqlite:${join(folder, 'rollcall.db')}`

const countCalls = async (folder: string) => {
  const service = await openService({ databaseUrl: url(folder), under: under(folder, []) })
  const one = probe(service.url)
  for (let n = 0; n < writes; n++) await one.write()
  await endTraced(service)
  return readFileSync(`${folder}.trace`, 'utf8')
    .split('\n')
    .filter((line) => /^\d+ +\w+\(/.test(line)).length
}

const withFailure = async (folder: string, n: number) => {
  const first = await runWithFailure(folder, n)
  const broken = [...first.broken]
  try {
    const again = await openService({ databaseUrl: url(folder) })
    const one = probe(again.url)
    for (const id of await missing(one, first.created)) broken.push(`${id} is lost`)
    if ((await one.write()).status !== 201) broken.push('it does not write after a restart')
    await again.end('SIGTERM')
    const word = integrity(folder)
    if (word !== 'ok') broken.push(word)
  } catch (error) {
    broken.push(`it does not start again: ${error}`)
  }
  return { ...first, broken }
}

/** A start refused with a reason is correct; a crash is not. */
const runWithFailure = async (folder: string, n: number) => {
  const injection = ['-e', `inject=${calls}:error=EIO:when=${n}`]
  try {
    const service = await openService({
      databaseUrl: url(folder),
      under: under(folder, injection),
      waitMs: 20_000,
    })
    const one = probe(service.url)
    const answers = []
    for (let m = 0; m < writes; m++) answers.push(await one.write())
    await endTraced(service)
    const wrong = answers.filter(({ status }) => status !== 201 && status !== 503)
    return {
      created: one.created,
      isRefusedStart: false,
      refusedWrites: answers.filter(({ status }) => status === 503).length,
      broken: wrong.map(({ status, code }) => `a write got ${status} ${code ?? ''}`),
    }
  } catch (error) {
    if (!(error instanceof NotReady)) throw error
    const broken =
      error.exit === 3
        ? []
        : [`it did not start, and ended with ${error.exit}: ${error.message.slice(0, 300)}`]
    return { created: [], isRefusedStart: true, refusedWrites: 0, broken }
  }
}

const endTraced = async (service: Service) => {
  for (const pid of childrenOf(service.pid)) process.kill(pid, 'SIGKILL')
  await service.gone
}

const integrity = (folder: string) => {
  using db = new DatabaseSync(join(folder, 'rollcall.db'))
  return String(Object.values(db.prepare('PRAGMA integrity_check').get() ?? {})[0])
}

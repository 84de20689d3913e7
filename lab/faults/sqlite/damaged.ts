import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { NotReady, openService } from '#lab/service.ts'
import type { Fault } from '../fault.ts'
import { probe } from '../probe.ts'

interface Damage {
  readonly name: string
  readonly to: (file: string) => void
  /** Damage to a part not needed at the start may be found later, as long as no list is shortened. */
  readonly mayStart?: boolean
}

const rows = 400

const damages: readonly Damage[] = [
  { name: 'header overwritten', to: (file) => overwrite(file, 0, 100) },
  {
    name: 'every page but the first overwritten',
    to: (file) => overwrite(file, 4096, statSync(file).size - 4096),
    mayStart: true,
  },
  {
    name: 'one page overwritten',
    to: (file) => overwrite(file, 4096 * Math.floor(statSync(file).size / 8192), 4096),
    mayStart: true,
  },
  {
    name: 'cut in half',
    to: (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
    mayStart: true,
  },
  { name: 'cut within a page', to: (file) => truncateSync(file, statSync(file).size - 100), mayStart: true },
  { name: 'emptied', to: (file) => truncateSync(file, 0) },
  { name: 'another kind of file', to: (file) => writeFileSync(file, 'Dear diary, '.repeat(1000)) },
]

/** A file that was damaged while the service was down. */
export const damaged: Fault = {
  name: 'damaged file',
  engine: 'sqlite',
  promise:
    'It refuses to start with exit code 3 and a message, or answers lists with an error; it never shows a part as if it were all.',
  async run({ directory, progress }) {
    const good = await goodFile(join(directory, 'good'))
    const broken: string[] = []
    let refused = 0
    for (const [index, damage] of damages.entries()) {
      const folder = join(directory, `d${index}`)
      mkdirSync(folder)
      const file = join(folder, 'rollcall.db')
      copyFileSync(good, file)
      damage.to(file)
      const wrong = await start(file, damage)
      if (wrong === 'refused') refused++
      else if (wrong) broken.push(`${damage.name}: ${wrong}`)
      progress((index + 1) / damages.length)
    }
    return {
      figure: `${damages.length} damages: ${refused} refused at the start, ${broken.length} faults`,
      broken,
      figures: { damages: damages.length, refused },
    }
  },
}

const goodFile = async (folder: string) => {
  const file = join(folder, 'rollcall.db')
  const service = await openService({ databaseUrl: `sqlite:${file}` })
  const one = probe(service.url)
  await Promise.all(Array.from({ length: rows }, () => one.write()))
  one.close()
  await service.end('SIGTERM')
  if (existsSync(`${file}-wal`)) throw new Error('the log is still there after the end')
  return file
}

const start = async (file: string, { mayStart }: Damage): Promise<string | undefined> => {
  try {
    const service = await openService({ databaseUrl: `sqlite:${file}`, waitMs: 3000 })
    const shown = await fetch(`${service.url}/api/v1/todos`).then(
      async (answer) => ({ status: answer.status, length: ((await answer.json()) as unknown[]).length }),
      () => ({ status: 0, length: 0 }),
    )
    await service.end('SIGTERM')
    if (!mayStart) return 'it started'
    return shown.status === 200 && shown.length < rows
      ? `a list showed ${shown.length} of ${rows}`
      : undefined
  } catch (error) {
    if (!(error instanceof NotReady)) throw error
    if (error.exit === 3) return 'refused'
    // It runs, but the readiness request gets 503: that is a refusal too.
    return error.exit === 'SIGKILL' ? undefined : `it ended with ${error.exit}: ${error.message}`
  }
}

const overwrite = (file: string, from: number, sizeBytes: number) => {
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(sizeBytes, 0xa5), 0, sizeBytes, from)
  closeSync(handle)
}

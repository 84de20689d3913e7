import { join } from 'node:path'
import { record, untilExit } from './record.ts'
import { type Losses, replay } from './replay.ts'

export interface PlainRun {
  readonly directory: string
  readonly synchronous: 'FULL' | 'NORMAL' | 'OFF'
  readonly commits: number
  readonly cuts: number
  readonly onCut?: (done: number) => void
}

/** Power losses of SQLite itself, used as the engine uses it or less safely. */
export const plainLosses = async ({
  directory,
  synchronous,
  commits,
  cuts,
  onCut,
}: PlainRun): Promise<Losses> => {
  const file = join(directory, `${synchronous}.db`)
  const traceFile = join(directory, `${synchronous}.trace`)
  const writer = join(import.meta.dirname, 'plain-writer.ts')
  await untilExit(record(traceFile, [writer, file, synchronous, String(commits)]))
  return replay({ traceFile, isOurs: databaseFiles(file), cuts, seed: 1, ...(onCut && { onCut }) })
}

/** Includes the `.new` files of a first start; not the `-shm` file, which every start rebuilds from the log. */
export const databaseFiles = (file: string) => {
  const databases = [file, `${file}.new`]
  const names = new Set(databases.flatMap((name) => [name, `${name}-wal`, `${name}-journal`]))
  return (path: string) => names.has(path)
}

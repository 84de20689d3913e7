import { join } from 'node:path'
import type { Engine, Observer } from '#sql/engine.ts'
import { retryWhileBusy } from './busy-retry.ts'
import { connection } from './connection.ts'
import { engine } from './engine.ts'
import { lockName, takeFile } from './file.ts'
import { examine, unusable } from './file-faults.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { temporaryFolder } from './temporary.ts'
import { useWal, wal } from './wal.ts'
import { watchedFiles } from './watched-files.ts'

export interface SqliteOptions {
  readonly observe?: Observer
  readonly limits?: Partial<Limits>
}

/** Without `path`, opens a temporary database, which is deleted when it is closed. */
export const openSqlite = async (path: string | undefined, options: SqliteOptions = {}): Promise<Engine> => {
  const observer = options.observe ?? {}
  const limits = { ...defaultLimits, ...options.limits }
  if (path !== undefined) return open(path, { durable: true, observer, limits, closed: () => undefined })
  const folder = temporaryFolder()
  return open(join(folder.path, 'rollcall.db'), { durable: false, observer, limits, closed: folder.remove })
}

interface OpenOptions {
  readonly durable: boolean
  readonly observer: Observer
  readonly limits: Limits
  readonly closed: () => void
}

const open = async (given: string, { durable, observer, limits, closed }: OpenOptions): Promise<Engine> => {
  using opened = new DisposableStack()
  const file = takeFile(given)
  opened.defer(file.release)
  try {
    const writer = connection(file.path, { durable })
    opened.defer(writer.close)
    await retryWhileBusy(limits.busyMs, () => examine(writer, file.path))
    useWal(writer, durable)
    const reader = connection(file.path, { durable, readOnly: true })
    opened.defer(reader.close)
    const files = durable ? watchedFiles(file.path, lockName(file.path), `${file.path}-wal`) : undefined
    const walFile = durable ? wal(file.path, () => observer.walRestarted?.()) : undefined
    opened.move()
    const release = () => {
      file.release()
      closed()
    }
    return engine({ path: file.path, files, wal: walFile, writer, reader, observer, limits, release })
  } catch (error) {
    throw unusable(file.path, error)
  }
}

import { join } from 'node:path'
import type { Engine, Observer } from '#sql/engine.ts'
import { retryWhileBusy } from './busy-retry.ts'
import { connection } from './connection.ts'
import { engine } from './engine.ts'
import { acquireFile, lockName } from './file.ts'
import { requireRollcallDatabase, toUnusable } from './file-faults.ts'
import { defaultLimits, type Limits } from './limits.ts'
import { temporaryFolder } from './temporary.ts'
import { enableWal, wal } from './wal.ts'
import { watchedFiles } from './watched-files.ts'

export interface SqliteOptions {
  readonly observe?: Observer
  readonly limits?: Partial<Limits>
}

/** Without `path`, opens a temporary database, which is deleted when it is closed. */
export const openSqlite = async (path: string | undefined, options: SqliteOptions = {}): Promise<Engine> => {
  const observer = options.observe ?? {}
  const limits = { ...defaultLimits, ...options.limits }
  if (path !== undefined) return open(path, { durable: true, observer, limits, onClosed: () => undefined })
  const folder = temporaryFolder()
  return open(join(folder.path, 'rollcall.db'), { durable: false, observer, limits, onClosed: folder.remove })
}

interface OpenOptions {
  readonly durable: boolean
  readonly observer: Observer
  readonly limits: Limits
  readonly onClosed: () => void
}

const open = async (path: string, { durable, observer, limits, onClosed }: OpenOptions): Promise<Engine> => {
  using cleanup = new DisposableStack()
  const file = acquireFile(path)
  cleanup.defer(file.release)
  try {
    const writer = connection(file.path, { durable })
    cleanup.defer(writer.close)
    await retryWhileBusy(limits.busyMs, () => requireRollcallDatabase(writer, file.path))
    enableWal(writer, durable)
    const reader = connection(file.path, { durable, readOnly: true })
    cleanup.defer(reader.close)
    const files = durable ? watchedFiles(file.path, lockName(file.path), `${file.path}-wal`) : undefined
    const walFile = durable ? wal(file.path, () => observer.walRestarted?.()) : undefined
    cleanup.move()
    const release = () => {
      file.release()
      onClosed()
    }
    return engine({
      path: file.path,
      files,
      wal: walFile,
      writer,
      reader,
      observer,
      limits,
      onClosed: release,
    })
  } catch (error) {
    throw toUnusable(file.path, error)
  }
}

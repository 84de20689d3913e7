import { existsSync, realpathSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { holdLock, lockName } from './file.ts'
import { refuseHalfRestored, refuseLostLog, requireFile } from './file-faults.ts'

export interface UntouchedFile {
  /** The URI to open it with. */
  readonly address: string
  /** Releases the file to services. */
  release(): void
}

/** Opens a file read-only: nothing in it changes, and others may read it at the same time. */
export const untouchedFile = (given: string): UntouchedFile => {
  const path = realpathSync(given)
  requireFile(path)
  const release = share(path)
  try {
    refuseHalfRestored(path)
    refuseLostLog(path)
  } catch (error) {
    release()
    throw error
  }
  return { address: `${pathToFileURL(path).href}?${optionsOf(path)}`, release }
}

/** Throws if a service holds the lock; while we hold it, no service can start. Without a lock file, no service has ever been here. */
const share = (path: string) => {
  if (!existsSync(lockName(path))) return () => undefined
  return holdLock(path, { readOnly: true }, 'BEGIN; SELECT count(*) FROM sqlite_schema')
}

/**
 * Without a log, the file is complete, and `immutable` keeps SQLite from creating files next to it. With a WAL, SQLite needs
 * its index: it reads the existing one without changing it.
 */
const optionsOf = (path: string) => {
  if (!hasBytes(`${path}-wal`) && !hasBytes(`${path}-journal`)) return 'immutable=1'
  return existsSync(`${path}-shm`) ? 'readonly_shm=1' : ''
}

const hasBytes = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0

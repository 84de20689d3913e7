import { existsSync, realpathSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { holdLock, lockName } from './file.ts'
import { refuseHalfRestored, refuseLostWal, requireFile } from './file-faults.ts'

export type ReadOnlyFile = ReturnType<typeof readOnlyFile>

/**
 * Prepares a file for reading only. Several processes may read it at the same time. `address` is the URI that opens the file, and
 * `release` allows services to use it again.
 */
export const readOnlyFile = (given: string) => {
  const path = realpathSync(given)
  requireFile(path)
  const release = share(path)
  try {
    refuseHalfRestored(path)
    refuseLostWal(path)
  } catch (error) {
    release()
    throw error
  }
  return { address: `${pathToFileURL(path).href}?${optionsOf(path)}`, release }
}

/** Throws if a service holds the lock, and keeps services from starting. Without a lock file, no service ever used the database. */
const share = (path: string) => {
  if (!existsSync(lockName(path))) return () => undefined
  return holdLock(path, { readOnly: true }, 'BEGIN; SELECT count(*) FROM sqlite_schema')
}

/**
 * Without a WAL or journal the file is complete, and `immutable` stops SQLite from creating files beside it. With a WAL, SQLite
 * needs the WAL index: `readonly_shm` makes it read the existing one.
 */
const optionsOf = (path: string) => {
  if (!hasBytes(`${path}-wal`) && !hasBytes(`${path}-journal`)) return 'immutable=1'
  return existsSync(`${path}-shm`) ? 'readonly_shm=1' : ''
}

const hasBytes = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0

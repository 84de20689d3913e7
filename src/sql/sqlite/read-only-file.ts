import { existsSync, realpathSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { holdLock, lockName } from './file.ts'
import { refuseHalfRestored, refuseLostWal, requireFile } from './file-faults.ts'

export type ReadOnlyFile = ReturnType<typeof readOnlyFile>

/** Locks a file for reading, which several processes may do at once. SQLite opens the file by `uri`. `release` ends the lock. */
export const readOnlyFile = (requestedPath: string) => {
  const path = realpathSync(requestedPath)
  requireFile(path)
  const release = lockShared(path)
  try {
    refuseHalfRestored(path)
    refuseLostWal(path)
  } catch (error) {
    release()
    throw error
  }
  return { uri: `${pathToFileURL(path).href}?${uriOptionsOf(path)}`, release }
}

/** Throws if a service holds the lock. Otherwise keeps services from starting. If there is no lock file, no service has used the database. */
const lockShared = (path: string) => {
  if (!existsSync(lockName(path))) return () => undefined
  return holdLock(path, { readOnly: true }, 'BEGIN; SELECT count(*) FROM sqlite_schema')
}

/**
 * Without a WAL or journal, the file is complete, and `immutable` stops SQLite from creating files beside it. With a WAL, SQLite
 * needs the WAL index, and `readonly_shm` makes SQLite use the existing index.
 */
const uriOptionsOf = (path: string) => {
  if (!hasBytes(`${path}-wal`) && !hasBytes(`${path}-journal`)) return 'immutable=1'
  return existsSync(`${path}-shm`) ? 'readonly_shm=1' : ''
}

const hasBytes = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0

import { existsSync, realpathSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { hold, lockName } from './file.ts'
import { requireFile } from './file-faults.ts'

export interface UntouchedFile {
  /** As SQLite is told of it. */
  readonly address: string
  /** Lets a service have it. */
  release(): void
}

/** A file that is only looked at: nothing in it changes, and others may look at the same time. */
export const untouchedFile = (given: string): UntouchedFile => {
  const path = realpathSync(given)
  requireFile(path)
  const release = share(lockName(path))
  return { address: `${pathToFileURL(path).href}?${mannerOf(path)}`, release }
}

/** Throws where a service holds the lock; while we hold it, no service starts. Without a lock file no service was ever here. */
const share = (lockPath: string) => {
  if (!existsSync(lockPath)) return () => undefined
  const holder = new DatabaseSync(lockPath, { readOnly: true, timeout: 0 })
  return hold(holder, 'BEGIN; SELECT count(*) FROM sqlite_schema')
}

/**
 * Without a log the file is complete, and `immutable` keeps SQLite from making files beside it. With a log SQLite needs the
 * log's index: it reads the one that is there, and changes nothing in it.
 */
const mannerOf = (path: string) => {
  if (!hasBytes(`${path}-wal`) && !hasBytes(`${path}-journal`)) return 'immutable=1'
  return existsSync(`${path}-shm`) ? 'readonly_shm=1' : ''
}

const hasBytes = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0

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

/** A file that is looked at alone: nothing in it changes, and nobody else is kept from looking. */
export const untouchedFile = (given: string): UntouchedFile => {
  const path = realpathSync(given)
  requireFile(path)
  const release = share(lockName(path))
  return { address: `${pathToFileURL(path).href}?${mannerOf(path)}`, release }
}

/** Where a service has the lock, it throws; while we have it, none starts. Where there is none, no service was here. */
const share = (lockPath: string) => {
  if (!existsSync(lockPath)) return () => undefined
  const holder = new DatabaseSync(lockPath, { readOnly: true, timeout: 0 })
  return hold(holder, 'BEGIN; SELECT count(*) FROM sqlite_schema')
}

/** Without a log it is whole in itself, and SQLite makes nothing beside it. A log is read by the index that is there. */
const mannerOf = (path: string) => {
  if (!hasBytes(`${path}-wal`) && !hasBytes(`${path}-journal`)) return 'immutable=1'
  return existsSync(`${path}-shm`) ? 'readonly_shm=1' : ''
}

const hasBytes = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0

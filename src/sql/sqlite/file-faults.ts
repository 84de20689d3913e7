import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { rootCauseOf } from '#core/cause.ts'
import { raw } from '#sql/query.ts'
import { DataUnusable, type Reason } from '#sql/unusable.ts'
import type { Connection } from './connection.ts'
import { type Failure, failureOf } from './errors.ts'

/** "Roll", in the header of every Rollcall database file. */
export const applicationId = 0x526f6c6c

/** Refuses a file that is not a readable Rollcall database. */
export const requireRollcallDatabase = (connection: Connection, path: string) => {
  const [header] = connection.rows(raw('PRAGMA application_id'))
  if (header?.application_id !== applicationId)
    throw new DataUnusable(
      'notADatabase',
      `${path} is a SQLite database, but its application_id is not Rollcall's.`,
    )
  connection.rows(raw('SELECT count(*) FROM sqlite_schema'))
}

/** Turns an error from opening a database into one that names the file and the remedy. */
export const toUnusable = (path: string, error: unknown): DataUnusable => {
  if (error instanceof DataUnusable) return error
  const fault = faultOf(path, error)
  const otherwise = ['unreadable', `cannot be used: ${rootCauseOf(error)}.`] as const
  const [reason, text] = (fault && faultTexts[fault]) ?? otherwise
  return new DataUnusable(reason, `${path} ${text}`, error)
}

/** The error for a file that SQLite calls malformed: the file is damaged, or the disk cannot read it. */
export const damagedError = (path: string, remedy = 'Restore it from a backup.') =>
  isReadable(path)
    ? new DataUnusable('corrupt', `${path} is damaged. ${remedy}`)
    : new DataUnusable('unreadable', `${path} ${unreadable}`)

/** The error for a lock file that cannot be used. Perhaps its permissions are stricter than those of the database. */
export const lockError = (path: string, lockPath: string, error: unknown): unknown => {
  const fault = faultOf(lockPath, error)
  if (fault === 'busy' || fault === 'readOnlyDisk') return error
  if (fault !== 'unopened' && fault !== 'readOnly') return toUnusable(lockPath, error)
  const remedy = `Give it the owner and the permissions of ${path}.`
  return new DataUnusable(
    'unreadable',
    `${lockPath} cannot be opened, so the database cannot either. ${remedy}`,
    error,
  )
}

/** Does the work, and passes its error through `toUnusable`. */
export const errorsAsUnusable = <T>(path: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw toUnusable(path, error)
  }
}

type Fault = Failure | 'readOnlyDisk' | 'absent'

const systemFaults: Readonly<Record<string, Fault>> = {
  EACCES: 'unopened',
  EPERM: 'unopened',
  EROFS: 'readOnlyDisk',
  ENOENT: 'absent',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EIO: 'io',
}

/** The fault that an error shows. SQLite does not distinguish a read-only disk from missing permissions, so this function checks. */
const faultOf = (path: string, error: unknown): Fault | undefined => {
  const failure = failureOf(error) ?? systemFaults[Object(error).code]
  if (failure === 'corrupt' && !isReadable(path)) return 'io'
  const mayBeReadOnlyDisk = failure === 'unopened' || failure === 'readOnly'
  return mayBeReadOnlyDisk && isOnReadOnlyDisk(path) ? 'readOnlyDisk' : failure
}

/**
 * True if the disk can read every byte. If it cannot, SQLite also calls the database malformed. Closing the file here drops SQLite's
 * POSIX locks, so call this only when nobody will use the open database any more.
 */
const isReadable = (path: string): boolean =>
  [path, `${path}-wal`].filter((name) => existsSync(name)).every(isFileReadable)

const isFileReadable = (path: string): boolean => {
  const bytes = Buffer.alloc(readBytes)
  const file = openSync(path, 'r')
  try {
    for (let position = 0; readSync(file, bytes, 0, readBytes, position) > 0; position += readBytes);
    return true
  } catch {
    return false
  } finally {
    closeSync(file)
  }
}

const readBytes = 1_048_576

const isOnReadOnlyDisk = (path: string) => {
  try {
    accessSync(dirname(path), constants.W_OK)
    return false
  } catch (error) {
    return Object(error).code === 'EROFS'
  }
}

const unreadable = 'cannot be read: the disk reports an error, or is full.'

const faultTexts: Partial<Record<Fault, readonly [Reason, string]>> = {
  busy: ['locked', 'is in use by another process. Stop that process first.'],
  corrupt: ['corrupt', 'is damaged. Restore it from a backup.'],
  notADatabase: ['notADatabase', 'is not a SQLite database, or its beginning was overwritten.'],
  readOnlyDisk: ['unreadable', 'cannot be written to: its disk is mounted read-only.'],
  absent: ['unreadable', 'is not there, and cannot be created.'],
  readOnly: ['unreadable', 'cannot be written to. Check the permissions of the file and its folder.'],
  unopened: ['unreadable', 'cannot be opened. Check the permissions of the file and its folder.'],
  full: ['unreadable', 'cannot be opened: the disk is full.'],
  io: ['unreadable', unreadable],
}

export const inUseByOtherNameError = (path: string) =>
  new DataUnusable(
    'locked',
    `${path} is in use by another process, by another name of the same file (a hard link or a mount). Stop that process first.`,
  )

/** SQLite would open an empty file as a database without tables, and report a folder as a failing disk. */
export const requireFile = (path: string) => {
  const stats = statSync(path)
  if (!stats.isFile()) throw new DataUnusable('unreadable', `${path} is not a file, so it is not a database.`)
  if (stats.size > 0) return
  throw new DataUnusable(
    'corrupt',
    `${path} has no bytes at all. Restore it from a backup, or delete it to start with an empty database.`,
  )
}

/** Refuses a link whose target is missing. SQLite would create a new database at the target. */
export const refuseDeadLink = (path: string) => {
  if (!existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new DataUnusable(
      'unreadable',
      `${path} is a link whose target is missing. Mount the disk that it points to, or delete the link.`,
    )
}

/** The names of the file that a restore writes: first while it copies data, then while it moves the previous files away. */
export const restoredNames = (path: string) => ({
  unfinished: `${path}.restored.unfinished`,
  whole: `${path}.restored`,
})

/** Refuses a database if a restore of it was cut off after it had begun to write. */
export const refuseHalfRestored = (path: string) => {
  const leftover = Object.values(restoredNames(path)).find((name) => existsSync(name))
  if (leftover === undefined) return
  const otherwise = existsSync(path) ? 'keep the database that is there' : 'start with an empty database'
  throw new DataUnusable(
    'corrupt',
    `${path} cannot be used, because a restore was cut off. Run the restore again, or delete ${leftover} to ${otherwise}.`,
  )
}

/** Refuses to create an empty database if a restore was interrupted, or if only the WAL of a database is left. */
export const refuseRemains = (path: string) => {
  refuseHalfRestored(path)
  if (existsSync(`${path}-wal`))
    throw new DataUnusable(
      'corrupt',
      `${path} is missing, but its write-ahead log ${path}-wal is there. Restore both, or delete the log.`,
    )
}

/**
 * Refuses a database whose WAL was deleted after a crash: the WAL index still counts frames that were not copied to the file.
 * After a clean shutdown, there is no index (https://sqlite.org/walformat.html).
 */
export const refuseLostWal = (path: string) => {
  if (existsSync(`${path}-wal`) || !existsSync(`${path}-shm`)) return
  const index = readFileSync(`${path}-shm`)
  if (index.length < indexHeaderBytes) return
  const words = new Uint32Array(new Uint8Array(index.subarray(0, indexHeaderBytes)).buffer)
  const [frames = 0, copied = 0] = [words[4], words[24]]
  if (frames > copied)
    throw new DataUnusable(
      'corrupt',
      `${path}-wal is missing, and with it acknowledged writes. Put it back, or restore a backup; or delete ${path}-shm to go on without these writes.`,
    )
}

const indexHeaderBytes = 136

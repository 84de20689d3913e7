import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { isBusy } from './errors.ts'
import {
  applicationId,
  inUseByOtherName,
  lockFault,
  orUnusable,
  refuseDeadLink,
  refuseHalfRestored,
  refuseLostLog,
  refuseRemains,
  requireFile,
} from './file-faults.ts'
import { giveToOwnerOf } from './owner.ts'
import { sync } from './sync.ts'

interface DatabaseFile {
  readonly path: string
  /** Releases the file to other processes. */
  release(): void
}

/**
 * Takes the file for this process alone, until it is released or the process ends, and creates it if there is none. Nothing
 * else in this process may open the file, not even to copy it: closing it would drop SQLite's own (POSIX) locks.
 */
export const takeFile = (given: string): DatabaseFile =>
  orUnusable(given, () => {
    const path = realPath(resolve(given))
    const release = lock(path)
    try {
      refuseHalfRestored(path)
      if (existsSync(path)) {
        requireFile(path)
        refuseLostLog(path)
        refuseOtherName(path)
      } else create(path)
      syncLog(path)
    } catch (error) {
      release()
      throw error
    }
    return { path, release }
  })

/** A file must have one name, or two processes could lock it by different ones. */
export const realPath = (path: string) => {
  makeFolder(dirname(path))
  refuseDeadLink(path)
  return existsSync(path) ? realpathSync(path) : inRealFolder(path)
}

/** Creates folders durably, one at a time: Node's recursive mkdir loops for ever where none can be created, as in /proc. */
const makeFolder = (path: string) => {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
    giveToOwnerOf(dirname(path), path)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
  sync(dirname(path), 'r')
}

/** Refuses to create an empty database where something is left of an earlier one. */
export const requireNothingLeft = (given: string) =>
  orUnusable(given, () => {
    const path = resolve(given)
    refuseDeadLink(path)
    if (existsSync(dirname(path))) refuseRemains(inRealFolder(path))
  })

/** Whether the file exists. Throws if that cannot be determined. */
export const fileExists = (given: string): boolean =>
  orUnusable(given, () => statSync(given, { throwIfNoEntry: false }) !== undefined)

const inRealFolder = (path: string) => join(realpathSync(dirname(path)), basename(path))

/** The operating system releases this lock when the process ends, however it ends. */
export const lock = (path: string) => {
  createPrivate(lockName(path), existsSync(path) ? path : dirname(path))
  return holdLock(path, {}, exclusively)
}

/** The lock file next to the database. */
export const lockName = (path: string) => `${path}.lock`

const exclusively = 'PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE'

/** Takes the lock next to the database by running these statements. Returns a function that releases it. */
export const holdLock = (path: string, options: DatabaseSyncOptions, statements: string) => {
  try {
    return hold(new DatabaseSync(lockName(path), { ...options, timeout: 0 }), statements)
  } catch (error) {
    throw lockFault(path, lockName(path), error)
  }
}

/** Takes a lock by running these statements; throws if somebody else holds it. Returns a function that releases it. */
const hold = (holder: DatabaseSync, statements: string) => {
  try {
    holder.exec(statements)
  } catch (error) {
    holder.close()
    throw error
  }
  return () => holder.close()
}

/**
 * Refuses a file that another process has open by another name: a hard link, or a mount of the file alone. The lock and SQLite's
 * log go by name, so each would overwrite what the other commits. Whoever uses it by this name has a log beside it.
 */
const refuseOtherName = (path: string) => {
  if (existsSync(`${path}-wal`) || existsSync(`${path}-shm`)) return
  try {
    hold(new DatabaseSync(path, { timeout: 0 }), alone)()
  } catch (error) {
    // Any other fault is found, and named, when the file is opened.
    if (isBusy(error)) throw inUseByOtherName(path)
  }
}

const alone = 'PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_schema'

/**
 * A commit that a killed process had written but not synced is visible from now on, so it must be made durable, and so must
 * the name of a log that this was the first commit of.
 */
const syncLog = (path: string) => {
  const log = `${path}-wal`
  if (!existsSync(log)) return
  sync(log, 'r+')
  sync(dirname(path), 'r')
}

/** The file gets its name once it is complete, so that a file with that name is never half a database. */
const create = (path: string) => {
  refuseRemains(path)
  const newPath = `${path}.new`
  for (const leftover of [newPath, `${newPath}-wal`, `${newPath}-shm`]) rmSync(leftover, { force: true })
  createPrivate(newPath, dirname(path))
  const database = new DatabaseSync(newPath)
  database.exec(
    `PRAGMA synchronous = FULL; PRAGMA application_id = ${applicationId}; PRAGMA journal_mode = WAL`,
  )
  database.close()
  renameSync(newPath, path)
  sync(dirname(path), 'r')
}

/** Creates a file for the owner of another one. SQLite gives the WAL and its index the same owner and permissions. */
export const createPrivate = (path: string, model: string) => {
  try {
    closeSync(openSync(path, 'ax', 0o600))
    giveToOwnerOf(model, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}

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
  errorsAsUnusable,
  inUseByOtherNameError,
  lockError,
  refuseDeadLink,
  refuseHalfRestored,
  refuseLostWal,
  refuseRemains,
  requireFile,
} from './file-faults.ts'
import { giveToOwnerOf } from './owner.ts'
import { sync } from './sync.ts'

/**
 * Locks the database file for this process, and creates the file if it is missing. The lock lasts until it is released or the
 * process ends. No other code in this process may open the file, not even to copy it, because closing it would drop SQLite's
 * POSIX locks.
 */
export const acquireFile = (requestedPath: string) =>
  errorsAsUnusable(requestedPath, () => {
    const path = realPath(resolve(requestedPath))
    const release = lock(path)
    try {
      refuseHalfRestored(path)
      if (existsSync(path)) {
        requireFile(path)
        refuseLostWal(path)
        refuseOtherName(path)
      } else createDatabase(path)
      syncWal(path)
    } catch (error) {
      release()
      throw error
    }
    /** `release` lets other processes use the file. */
    return { path, release }
  })

/** Creates the folder of the file if it is missing, and resolves links: otherwise two processes could lock one file by two names. */
export const realPath = (path: string) => {
  makeFolder(dirname(path))
  refuseDeadLink(path)
  return existsSync(path) ? realpathSync(path) : inRealFolder(path)
}

/** Creates folders durably, one at a time: where no folder can be created, as in /proc, Node's recursive mkdir never returns. */
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

/** Refuses to create an empty database if files of an earlier database are left. */
export const requireNoRemains = (requestedPath: string) =>
  errorsAsUnusable(requestedPath, () => {
    const path = resolve(requestedPath)
    refuseDeadLink(path)
    if (existsSync(dirname(path))) refuseRemains(inRealFolder(path))
  })

/** Throws if the system refuses to tell, for example for lack of permission. */
export const fileExists = (path: string): boolean =>
  errorsAsUnusable(path, () => statSync(path, { throwIfNoEntry: false }) !== undefined)

const inRealFolder = (path: string) => join(realpathSync(dirname(path)), basename(path))

/** Locks the database. However the process ends, the operating system releases the lock. */
export const lock = (path: string) => {
  createPrivate(lockName(path), existsSync(path) ? path : dirname(path))
  return holdLock(path, {}, exclusiveLock)
}

export const lockName = (path: string) => `${path}.lock`

const exclusiveLock = 'PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE'

/** Takes the lock in the lock file of the database by running these statements. Returns a function that releases the lock. */
export const holdLock = (path: string, options: DatabaseSyncOptions, statements: string) => {
  try {
    return runLocking(new DatabaseSync(lockName(path), { ...options, timeout: 0 }), statements)
  } catch (error) {
    throw lockError(path, lockName(path), error)
  }
}

/** Runs statements that take a lock. Throws if another process holds it. */
const runLocking = (holder: DatabaseSync, statements: string) => {
  try {
    holder.exec(statements)
  } catch (error) {
    holder.close()
    throw error
  }
  return () => holder.close()
}

/**
 * Refuses a file that another process has open by another name: a hard link or a mount of the file. The names of the lock file
 * and the WAL follow from the name of the database, so each process would overwrite the other's commits. If there is a WAL by
 * this name, skips the check: the process that left the WAL used this name.
 */
const refuseOtherName = (path: string) => {
  if (existsSync(`${path}-wal`) || existsSync(`${path}-shm`)) return
  try {
    runLocking(new DatabaseSync(path, { timeout: 0 }), exclusiveRead)()
  } catch (error) {
    // Opening the file will report any other fault.
    if (isBusy(error)) throw inUseByOtherNameError(path)
  }
}

const exclusiveRead = 'PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_schema'

/**
 * A killed process may have written a commit to the WAL without syncing it. This process will show the commit, so the commit must
 * first become durable. So must the name of the WAL, which the commit may have created.
 */
const syncWal = (path: string) => {
  const wal = `${path}-wal`
  if (!existsSync(wal)) return
  sync(wal, 'r+')
  sync(dirname(path), 'r')
}

/** Creates the file under another name and renames it when it is complete, so that an incomplete database never has the final name. */
const createDatabase = (path: string) => {
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

/** Creates a private file with the owner of `model`, unless the file exists. SQLite gives the WAL and its index the same owner and permissions. */
export const createPrivate = (path: string, model: string) => {
  try {
    closeSync(openSync(path, 'ax', 0o600))
    giveToOwnerOf(model, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}

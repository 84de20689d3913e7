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
  refuseLostWal,
  refuseRemains,
  requireFile,
} from './file-faults.ts'
import { giveToOwnerOf } from './owner.ts'
import { sync } from './sync.ts'

/**
 * Locks the file for this process until it is released or the process ends, and creates a missing file. Nothing else in this
 * process may open the file, not even to copy it, because closing it would drop SQLite's own POSIX locks.
 */
export const takeFile = (given: string) =>
  orUnusable(given, () => {
    const path = realPath(resolve(given))
    const release = lock(path)
    try {
      refuseHalfRestored(path)
      if (existsSync(path)) {
        requireFile(path)
        refuseLostWal(path)
        refuseOtherName(path)
      } else create(path)
      syncWal(path)
    } catch (error) {
      release()
      throw error
    }
    /** `release` lets other processes use the file. */
    return { path, release }
  })

/** Resolves links, because the lock goes by name: two processes could lock one file by two names. */
export const realPath = (path: string) => {
  makeFolder(dirname(path))
  refuseDeadLink(path)
  return existsSync(path) ? realpathSync(path) : inRealFolder(path)
}

/** Creates folders durably, one at a time: Node's recursive mkdir loops for ever where it cannot create any, as in /proc. */
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

/** Refuses to create an empty database if files of an earlier one are left. */
export const requireNothingLeft = (given: string) =>
  orUnusable(given, () => {
    const path = resolve(given)
    refuseDeadLink(path)
    if (existsSync(dirname(path))) refuseRemains(inRealFolder(path))
  })

/** Whether the file exists. Throws if the system does not tell. */
export const fileExists = (given: string): boolean =>
  orUnusable(given, () => statSync(given, { throwIfNoEntry: false }) !== undefined)

const inRealFolder = (path: string) => join(realpathSync(dirname(path)), basename(path))

/** Locks the database. The operating system releases the lock when the process ends in any way. */
export const lock = (path: string) => {
  createPrivate(lockName(path), existsSync(path) ? path : dirname(path))
  return holdLock(path, {}, exclusively)
}

export const lockName = (path: string) => `${path}.lock`

const exclusively = 'PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE'

/** Takes the lock beside the database by running these statements. Returns a function that releases it. */
export const holdLock = (path: string, options: DatabaseSyncOptions, statements: string) => {
  try {
    return hold(new DatabaseSync(lockName(path), { ...options, timeout: 0 }), statements)
  } catch (error) {
    throw lockFault(path, lockName(path), error)
  }
}

/** Runs the statements that take a lock. Throws if another process holds it. */
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
 * Refuses a file that another process has open by another name, a hard link or a mount of the file. The lock and SQLite's WAL
 * go by name, so each process would overwrite the other's commits. A process that uses it by this name has a WAL beside it.
 */
const refuseOtherName = (path: string) => {
  if (existsSync(`${path}-wal`) || existsSync(`${path}-shm`)) return
  try {
    hold(new DatabaseSync(path, { timeout: 0 }), alone)()
  } catch (error) {
    // Opening the file will report any other fault.
    if (isBusy(error)) throw inUseByOtherName(path)
  }
}

const alone = 'PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_schema'

/**
 * A killed process may have written a commit without syncing it. This process will show that commit, so it must be durable
 * first, and so must the name of the WAL, which that commit may have created.
 */
const syncWal = (path: string) => {
  const wal = `${path}-wal`
  if (!existsSync(wal)) return
  sync(wal, 'r+')
  sync(dirname(path), 'r')
}

/** Creates the file under another name and renames it when it is complete, so that no incomplete database has the name. */
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

/** Creates a file with the owner of `model`. SQLite gives the WAL and its index the same owner and permissions. */
export const createPrivate = (path: string, model: string) => {
  try {
    closeSync(openSync(path, 'ax', 0o600))
    giveToOwnerOf(model, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}

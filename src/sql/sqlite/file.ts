import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { applicationId, orUnusable, refuseDeadLink, refuseRemains, requireFile } from './file-faults.ts'

interface DatabaseFile {
  readonly path: string
  /** Lets another process have it. */
  release(): void
}

/**
 * Takes the file for this process alone, for as long as it lives, and makes it where there is none. Nothing else
 * in this process may open the file, not even to copy it: closing it would let go of SQLite's own locks.
 */
export const takeFile = (given: string): DatabaseFile =>
  orUnusable(given, () => {
    const path = realPath(resolve(given))
    const release = lock(path)
    try {
      if (existsSync(path)) requireFile(path)
      else create(path)
      syncLog(path)
    } catch (error) {
      release()
      throw error
    }
    return { path, release }
  })

/** One file has one name, or two processes would lock it by different ones. */
export const realPath = (path: string) => {
  makeFolder(dirname(path))
  refuseDeadLink(path)
  return existsSync(path) ? realpathSync(path) : inRealFolder(path)
}

/** One after another: where a folder takes none, as those of /proc, node's own way of making them all tries for ever. */
const makeFolder = (path: string) => {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}

/** Refuses to begin with nothing where something is left of a database that was there. */
export const requireNothingLeft = (given: string) => {
  const path = resolve(given)
  refuseDeadLink(path)
  if (existsSync(dirname(path))) refuseRemains(inRealFolder(path))
}

/** Whether there is a file. Throws where nobody may look. */
export const isThere = (given: string): boolean =>
  orUnusable(given, () => statSync(given, { throwIfNoEntry: false }) !== undefined)

const inRealFolder = (path: string) => join(realpathSync(dirname(path)), basename(path))

/** The system frees this lock when the process ends, however it ends. */
export const lock = (path: string) => {
  createPrivate(lockName(path))
  return hold(new DatabaseSync(lockName(path), { timeout: 0 }), exclusively)
}

/** The file that is locked beside it. */
export const lockName = (path: string) => `${path}.lock`

const exclusively = 'PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE'

/** Throws where somebody else holds it so that these statements cannot be run. Tells how it is let go. */
export const hold = (holder: DatabaseSync, statements: string) => {
  try {
    holder.exec(statements)
  } catch (error) {
    holder.close()
    throw error
  }
  return () => holder.close()
}

/** A commit that a killed process had written but not synced is shown from now on, so it must last like any other. */
const syncLog = (path: string) => {
  const log = `${path}-wal`
  if (existsSync(log)) sync(log, 'r+')
}

/** It gets its name when it is whole: what has the name is never half a database. */
const create = (path: string) => {
  refuseRemains(path)
  const newPath = `${path}.new`
  for (const leftover of [newPath, `${newPath}-wal`, `${newPath}-shm`]) rmSync(leftover, { force: true })
  createPrivate(newPath)
  const database = new DatabaseSync(newPath)
  database.exec(
    `PRAGMA synchronous = FULL; PRAGMA application_id = ${applicationId}; PRAGMA journal_mode = WAL`,
  )
  database.close()
  renameSync(newPath, path)
  syncFolder(dirname(path))
}

/** SQLite gives its log and its index the permissions of the database. */
const createPrivate = (path: string) => {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}

const syncFolder = (path: string) => sync(path, 'r')

const sync = (path: string, flags: 'r' | 'r+') => {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

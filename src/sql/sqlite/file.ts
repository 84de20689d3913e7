import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { raw } from '#sql/query.ts'
import { DataUnusable, type Reason } from '#sql/unusable.ts'
import type { Connection } from './connection.ts'
import { type Failure, failureOf } from './errors.ts'

/** "Roll": stands in the header of every database file of ours. */
const applicationId = 0x526f6c6c

export interface DatabaseFile {
  readonly path: string
  /** Lets another process have it. */
  release(): void
}

/**
 * Takes the file for this process alone, for as long as it lives, and makes it where there is none. Nothing else
 * in this process may open the file, not even to copy it: closing it would let go of SQLite's own locks.
 */
export const takeFile = (given: string): DatabaseFile => {
  try {
    const path = settled(resolve(given))
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
  } catch (error) {
    throw unusable(given, error)
  }
}

/** Refuses what is no healthy database of ours, before anything is asked of it. */
export const examine = (connection: Connection, path: string) => {
  const [header] = connection.rows(raw('PRAGMA application_id'))
  if (header?.application_id !== applicationId)
    throw new DataUnusable(
      'notADatabase',
      `${path} is a SQLite database, but its application_id is not ours.`,
    )
  connection.rows(raw('SELECT count(*) FROM sqlite_schema'))
}

/** What was thrown on the way to a usable database, in words that say which file and what to do. */
export const unusable = (path: string, error: unknown): DataUnusable => {
  const failure = failureOf(error)
  const [reason, words] = (failure && failures[failure]) ?? ['unreadable', `cannot be used: ${error}.`]
  return error instanceof DataUnusable ? error : new DataUnusable(reason, `${path} ${words}`, error)
}

const failures: Partial<Record<Failure, readonly [Reason, string]>> = {
  busy: ['locked', 'is in use by another process. Stop that one first.'],
  corrupt: ['corrupt', 'is damaged. Restore it from a backup.'],
  notADatabase: ['notADatabase', 'is not a SQLite database, or its beginning was overwritten.'],
  readOnly: ['unreadable', 'cannot be written to. Look at the permissions of the file and its folder.'],
  unopened: ['unreadable', 'cannot be opened. Look at the permissions of the file and its folder.'],
  full: ['unreadable', 'cannot be opened: the disk is full.'],
  io: ['unreadable', 'cannot be read: the disk reports an error.'],
}

/** SQLite takes a file without bytes for a database without tables, and a folder for a disk that fails. */
export const requireFile = (path: string) => {
  const found = statSync(path)
  if (!found.isFile()) throw new DataUnusable('unreadable', `${path} is no file, so it is no database.`)
  if (found.size > 0) return
  throw new DataUnusable(
    'corrupt',
    `${path} has no bytes at all. Restore it from a backup, or delete it to begin with nothing.`,
  )
}

/** One file has one name, or two processes would lock it by different ones. */
export const settled = (path: string) => {
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

const inRealFolder = (path: string) => join(realpathSync(dirname(path)), basename(path))

const refuseDeadLink = (path: string) => {
  if (!existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new DataUnusable(
      'unreadable',
      `${path} is a link, and nothing is where it leads. Mount the disk that it leads to, or delete the link.`,
    )
}

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

/** What a restore brought is called so while what was there before is moved aside. */
export const restoredName = (path: string) => `${path}.restored`

const refuseRemains = (path: string) => {
  const restored = restoredName(path)
  if (existsSync(restored))
    throw new DataUnusable(
      'corrupt',
      `${path} is missing, for a restore was cut off. Restore again, or delete ${restored} to begin with nothing.`,
    )
  if (existsSync(`${path}-wal`))
    throw new DataUnusable(
      'corrupt',
      `${path} is missing, but its log ${path}-wal is there. Restore both, or delete the log.`,
    )
}

/** A commit that a killed process had written, and not yet synced, is shown from now on: so it must last like all others. */
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

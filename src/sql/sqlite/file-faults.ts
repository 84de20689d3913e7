import { existsSync, lstatSync, statSync } from 'node:fs'
import { messageOf } from '#core/cause.ts'
import { raw } from '#sql/query.ts'
import { DataUnusable, type Reason } from '#sql/unusable.ts'
import type { Connection } from './connection.ts'
import { type Failure, failureOf } from './errors.ts'

/** "Roll": stands in the header of every database file of ours. */
export const applicationId = 0x526f6c6c

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
  if (error instanceof DataUnusable) return error
  const failure = failureOf(error) ?? ofTheSystem[Object(error).code]
  const otherwise = ['unreadable', `cannot be used: ${messageOf(error)}.`] as const
  const [reason, words] = (failure && failures[failure]) ?? otherwise
  return new DataUnusable(reason, `${path} ${words}`, error)
}

/** Does the work, and throws what it throws in those words. */
export const orUnusable = <T>(path: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw unusable(path, error)
  }
}

const ofTheSystem: Readonly<Record<string, Failure>> = {
  EACCES: 'unopened',
  EPERM: 'unopened',
  EROFS: 'readOnly',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EIO: 'io',
}

const failures: Partial<Record<Failure, readonly [Reason, string]>> = {
  busy: ['locked', 'is in use by another process. Stop that one first.'],
  corrupt: ['corrupt', 'is damaged. Restore it from a backup.'],
  notADatabase: ['notADatabase', 'is not a SQLite database, or its beginning was overwritten.'],
  readOnly: ['unreadable', 'cannot be written to. Look at the permissions of the file and its folder.'],
  unopened: ['unreadable', 'cannot be opened. Look at the permissions of the file and its folder.'],
  full: ['unreadable', 'cannot be opened: the disk is full.'],
  io: ['unreadable', 'cannot be read: the disk reports an error, or is full.'],
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

/** A link whose target is missing: SQLite would make a new database there. */
export const refuseDeadLink = (path: string) => {
  if (!existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new DataUnusable(
      'unreadable',
      `${path} is a link, and nothing is where it leads. Mount the disk that it leads to, or delete the link.`,
    )
}

/** What a restore brought is called so while what was there before is moved aside. */
export const restoredName = (path: string) => `${path}.restored`

/** Refuses to begin with nothing where a restore was cut off, or a log is left of a database. */
export const refuseRemains = (path: string) => {
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

import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { messageOf } from '#core/cause.ts'
import { sqlitePathOf } from '#sql/open.ts'
import { failureOf } from '#sql/sqlite/errors.ts'
import { applicationId, damagedError, toUnusable } from '#sql/sqlite/file-faults.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { UsageError } from './exit.ts'

/** The path of a SQLite database. For PostgreSQL, throws an error with this help. */
export const sqliteFileOf = (url: string, help: string): string => {
  const path = sqlitePathOf(url)
  if (path !== undefined) return path
  throw new UsageError(url.startsWith('sqlite:') ? 'A database in memory ends with its process.' : help)
}

/** Checks every page of a copy that nobody else uses. If the copy is damaged, the error names `source` and the remedy. */
export const examineCopy = (file: string, source: string, remedy?: string) => {
  try {
    const database = new DatabaseSync(file)
    try {
      // Ends WAL mode, so that no WAL is left next to the copy.
      database.exec('PRAGMA journal_mode = DELETE')
      const header = database.prepare('PRAGMA application_id').get()
      if (header?.application_id !== applicationId)
        throw new DataUnusable('notADatabase', `${source} is not a Rollcall database.`)
      const found = database.prepare('PRAGMA integrity_check(1)').get()
      if (found?.integrity_check !== 'ok') throw damagedError(source, remedy)
    } finally {
      database.close()
    }
  } catch (error) {
    if (error instanceof DataUnusable) throw error
    const failure = failureOf(error)
    if (failure === 'full' || failure === 'io') throw toUnusable(file, error)
    if (failure === 'corrupt') throw damagedError(source, remedy)
    throw new DataUnusable('corrupt', `${source} cannot be read as a database: ${messageOf(error)}.`, error)
  }
}

/** Removes the files that SQLite keeps next to a database. */
export const removeSidecars = (path: string) => {
  for (const end of ['-wal', '-shm', '-journal']) rmSync(path + end, { force: true })
}

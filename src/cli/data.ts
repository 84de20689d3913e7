import type { Command } from 'commander'
import { ledgerRecords } from '#ledger/records.ts'
import { resources } from '#resources/index.ts'
import type { Resource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { type OpenOptions, openDatabase, sqlitePathOf } from '#sql/open.ts'
import type { Records } from '#sql/records.ts'
import { isThere } from '#sql/sqlite/file.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { migrateAll, requireCurrent } from '#src/app/migrations.ts'
import { WrongUse } from './exit.ts'
import { addSettings, configOf } from './settings.ts'

/** A command that works on a database while no service does, or, with PostgreSQL, beside it. */
export const onDatabase = (command: Command) => addSettings(command, ['DATABASE_URL', 'SETTINGS_FILE'])

export const databaseUrl = (command: Command): string => configOf(command).DATABASE_URL

/** No request waits for the streams of a command, so they may take long. */
const patientLimits = { streamMs: 24 * 60 * 60 * 1000, pauseMs: 60 * 60 * 1000 }

type Work<T> = (db: Engine) => Promise<T>

/** Opens a database, or makes it, brings it to the tables of this program, works with it and closes it. */
export const withDatabase = <T>(url: string, work: Work<T>): Promise<T> =>
  open(url, {}, async (db) => {
    await migrateAll(db)
    return work(db)
  })

/** Opens a database as it is: a command that only looks changes nothing, not even the tables of an earlier version. */
export const withUntouchedDatabase = async <T>(url: string, work: Work<T>): Promise<T> => {
  requireKept(url)
  return open(url, { untouched: true }, async (db) => {
    await requireCurrent(db)
    return work(db)
  })
}

const open = async <T>(url: string, options: OpenOptions, work: Work<T>): Promise<T> => {
  const db = await openDatabase(url, { limits: patientLimits, ...options })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** The file of a database on SQLite that is not there. */
export const missingFile = (url: string): string | undefined => {
  const path = sqlitePathOf(url)
  return path === undefined || isThere(path) ? undefined : path
}

/** So that a mistyped name does not make an empty database. */
export const requireKept = (url: string) => {
  const path = missingFile(url)
  if (path !== undefined) throw new WrongUse(`There is no database ${path}.`)
}

/** Adds, where a running service has the file, that the command can ask that service instead. */
export const orAsk = <T>(opened: Promise<T>): Promise<T> =>
  opened.catch((error) => {
    if (!(error instanceof DataUnusable && error.reason === 'locked')) throw error
    throw new DataUnusable('locked', `${error.message} Or ask the running service itself, with --url.`, error)
  })

/** All that a database keeps, rooms and ledger, in an order in which it can be written. */
export const allRecords = (db: Engine): readonly Records[] => [
  ...resources.map((resource) => resource.records(db)),
  ...ledgerRecords(db),
]

/** What import and export may be asked for, as words. */
export const kinds = resources.map(({ plural }) => plural).join(' or ')

/** The resource whose records are called so. */
export const resourceNamed = (name: string): Resource => {
  const found = resources.find(({ plural }) => plural === name)
  if (found) return found
  throw new WrongUse(`There are no ${name}: say ${kinds}.`)
}

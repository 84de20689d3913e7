import type { Command } from 'commander'
import { ledgerRecords } from '#ledger/records.ts'
import { resources } from '#resources/index.ts'
import type { RoomRecords } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { openDatabase } from '#sql/open.ts'
import type { Records } from '#sql/records.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { migrateAll } from '#src/migrations.ts'
import { WrongUse } from './exit.ts'
import { addSettings, configOf } from './settings.ts'

/** A command that works on a database while no service does, or, with PostgreSQL, beside it. */
export const onDatabase = (command: Command) => addSettings(command, ['DATABASE_URL', 'SETTINGS_FILE'])

export const databaseUrl = (command: Command): string => configOf(command).DATABASE_URL

/** Streams of a command may take their time: no request waits for them. */
const patientLimits = { streamMs: 24 * 60 * 60 * 1000, pauseMs: 60 * 60 * 1000 }

/** Opens a database, brings it to the tables of this program, works with it and closes it. */
export const withDatabase = async <T>(url: string, work: (db: Engine) => Promise<T>): Promise<T> => {
  const db = await openDatabase(url, { limits: patientLimits }).catch((error) => {
    throw inUse(error)
  })
  try {
    await migrateAll(db)
    return await work(db)
  } finally {
    await db.close()
  }
}

const inUse = (error: unknown) =>
  error instanceof DataUnusable && error.reason === 'locked'
    ? new DataUnusable('locked', `${error.message} Or ask the running service itself, with --url.`, error)
    : error

/** All that a database keeps, rooms and ledger, in an order in which it can be written. */
export const allRecords = (db: Engine): readonly Records[] => [...roomRecords(db), ...ledgerRecords(db)]

export const roomRecords = (db: Engine): readonly RoomRecords[] =>
  resources.flatMap((resource) => resource.records?.(db) ?? [])

export const recordsNamed = (db: Engine, name: string): RoomRecords => {
  const all = roomRecords(db)
  const found = all.find((records) => records.name === name)
  if (found) return found
  throw new WrongUse(`There are no ${name}: say ${all.map((records) => records.name).join(' or ')}.`)
}

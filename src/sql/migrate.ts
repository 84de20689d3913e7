import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { catalogs, toCatalogEntry } from './catalog.ts'
import type { Database, Row, Transaction } from './database.ts'
import type { AlterTransaction, Engine } from './engine.ts'
import { sql } from './query.ts'
import { DataUnusable } from './unusable.ts'

export interface Migration {
  /** The room that owns it. */
  readonly room: string
  /** Unique in its room; a room's migrations run in the order of their names. */
  readonly name: string
  readonly text: string
  /** What SQL cannot do. Runs after the texts of all migrations, in their transaction, so it meets the newest tables. */
  readonly finish?: Finish | undefined
}

export type Finish = (tx: Transaction) => Promise<void>

/** Brings the tables up to date. Each migration runs only once, and those of one start all run or none does. */
export const migrate = async (engine: Engine, migrations: readonly Migration[]) => {
  await engine.alter((tx) => migrateIn(tx, migrations)).catch(refuse)
}

/** Throws if `migrate` would, and changes nothing. */
export const tryMigrate = (engine: Engine, migrations: readonly Migration[]) =>
  rolledBack(engine, (tx) => migrateIn(tx, migrations)).catch(refuse)

/** What these migrations make in a SQLite database without tables, or in PostgreSQL beside the tables. Leaves nothing behind. */
export const catalogAnew = (engine: Engine, migrations: readonly Migration[]) =>
  rolledBack(engine, async (tx) => {
    if (engine.engine === 'postgres')
      await tx.exec('CREATE SCHEMA rollcall_anew; SET LOCAL search_path TO rollcall_anew')
    await migrateIn(tx, migrations)
    return tx.read(catalogs[engine.engine], toCatalogEntry)
  })

const rolledBack = async <T>(engine: Engine, work: (tx: AlterTransaction) => Promise<T>): Promise<T> => {
  const done: T[] = []
  const trial = new Error('This was only a trial.')
  const tried = engine.alter(async (tx) => {
    done.push(await work(tx))
    throw trial
  })
  await tried.catch((error) => {
    if (error !== trial) throw error
  })
  return done.at(-1) as T
}

const migrateIn = async (tx: AlterTransaction, migrations: readonly Migration[]) => {
  await tx.exec(migrationTable)
  const applied = await tx.read(appliedQuery, toApplied)
  refuseUnknown(applied, migrations)
  const pending = migrations.filter((migration) => !applied.some((one) => sameName(one, migration)))
  for (const migration of pending) {
    await tx.exec(migration.text)
    await tx.run(sql`
      INSERT INTO migration (room, name, checksum)
      VALUES (${migration.room}, ${migration.name}, ${checksum(migration)})`)
  }
  for (const finish of new Set(pending.map(({ finish }) => finish))) await finish?.(tx)
}

/** An error from the database itself, such as a table name that is taken, is for a person to fix. */
export const refuse = (error: unknown): never => {
  if (!(error instanceof Error && 'code' in error)) throw error
  throw new DataUnusable('otherTables', `Its tables cannot be those of Rollcall: ${error.message}.`, error)
}

/** The migrations that have run on a migrated database. */
export const readApplied = (db: Database): Promise<readonly Applied[]> =>
  db.read(appliedQuery, toApplied).catch(refuse)

/** While this row is among the migrations, no service starts: half a database is no database. */
export const unfinishedMove = { room: 'move', name: 'unfinished' }

const halfMoved = () =>
  new DataUnusable(
    'halfMoved',
    'A move to this database has not ended. Run `rollcall move` again: it resumes where it was cut off. If it cannot, because ' +
      'what it copies or Rollcall has changed since, empty this database first.',
  )

const engineSuffix = /\.(sqlite|postgres)$/

/** The migrations in a room's folder, whose URL ends with a slash: `NNN-name.sql` for every engine, `NNN-name.sqlite.sql` for one. */
export const readMigrations = async (
  folder: URL,
  room: string,
  engine: Database['engine'],
): Promise<Migration[]> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  const migrations: Migration[] = []
  for (const file of files) {
    const stem = file.slice(0, -'.sql'.length)
    const only = engineSuffix.exec(stem)?.[1]
    if (only !== undefined && only !== engine) continue
    const name = stem.replace(engineSuffix, '')
    migrations.push({ room, name, text: await readFile(new URL(file, folder), 'utf8') })
  }
  return migrations
}

interface Applied {
  readonly room: string
  readonly name: string
  readonly checksum: string
}

export const migrationTable = `
  CREATE TABLE IF NOT EXISTS migration (
    room TEXT NOT NULL,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    PRIMARY KEY (room, name)
  )`

const appliedQuery = sql`SELECT room, name, checksum FROM migration ORDER BY room, name`

const toApplied = (row: Row): Applied => ({
  room: String(row.room),
  name: String(row.name),
  checksum: String(row.checksum),
})

/** A migration that we do not have, or whose text differs, was applied by another program: we do not know what its tables mean. */
export const refuseUnknown = (applied: readonly Applied[], migrations: readonly Migration[]) => {
  for (const one of applied) {
    if (sameName(one, unfinishedMove)) throw halfMoved()
    const known = migrations.find((migration) => sameName(migration, one))
    if (!known) throw newerSchema(one)
    if (checksum(known) !== one.checksum) throw otherSchema(one)
  }
}

const newerSchema = ({ room, name }: Applied) =>
  new DataUnusable(
    'newerSchema',
    `The database has the migration ${room}/${name} that this program does not know. Start the program that made it, or a later one.`,
  )

/** It may be older or newer than this program, and this program cannot bring it up to date. */
const otherSchema = ({ room, name }: Applied) =>
  new DataUnusable(
    'otherSchema',
    `The database has the migration ${room}/${name} with content that differs from this program's. Start the program that made it, or export with that one and import into a new database with this one.`,
  )

const sameName = (one: Pick<Migration, 'room' | 'name'>, other: Pick<Migration, 'room' | 'name'>) =>
  one.room === other.room && one.name === other.name

const checksum = ({ text }: Migration) => createHash('sha256').update(text).digest('hex')

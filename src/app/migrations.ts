import { ledgerMigrations } from '#ledger/migrations.ts'
import { resources } from '#resources/index.ts'
import type { Engine } from '#sql/engine.ts'
import {
  type Migration,
  migrate,
  readApplied,
  readMigrations,
  refuseUnknown,
  tryMigrate,
} from '#sql/migrate.ts'
import { sql } from '#sql/query.ts'
import { DataUnusable } from '#sql/unusable.ts'

/** Brings a database to the tables of this program: the ledger's, and those of every room. */
export const migrateAll = async (db: Engine) => migrate(db, await ours(db))

/** Whether the tables are those of this program, and of no later one. */
export const isCurrent = async (db: Engine): Promise<boolean> => {
  try {
    return (await missing(db)).length === 0
  } catch (error) {
    if (error instanceof DataUnusable) return false
    throw error
  }
}

/** Refuses what a start of this program would make or change first: who only looks leaves it as it is. */
export const requireCurrent = async (db: Engine) => {
  if (!(await tableNames(db)).includes('migration'))
    throw new DataUnusable('otherTables', 'There is no database of Rollcall there.')
  if ((await missing(db)).length > 0) throw new DataUnusable('otherTables', earlierTables)
}

const earlierTables =
  'Its tables are not those of this version, but of an earlier one. A start of the service brings them up to it: start it on a copy, and look at that.'

/** What is in a database, before a start has made or changed anything. */
export type Tables = 'none' | 'foreign' | 'older' | 'current'

/** Throws where a start would. That is tried and undone; but not what changes tables, for a service may be using them. */
export const tablesOf = async (db: Engine): Promise<Tables> => {
  const tables = await tableNames(db)
  const isMigrated = tables.includes('migration')
  const left = isMigrated ? await missing(db) : []
  const known = await ours(db)
  await tryMigrate(
    db,
    known.filter((one) => !left.includes(one)),
  )
  if (!isMigrated) return tables.length === 0 ? 'none' : 'foreign'
  return left.length === 0 ? 'current' : 'older'
}

/** Those that have not run yet. Throws where one has run that this program does not know. */
const missing = async (db: Engine): Promise<readonly Migration[]> => {
  const [known, applied] = [await ours(db), await readApplied(db)]
  refuseUnknown(applied, known)
  const names = new Set(applied.map(nameOf))
  return known.filter((one) => !names.has(nameOf(one)))
}

const tableNames = (db: Engine) => db.read(allTables[db.engine], (row) => String(row.name))

const allTables = {
  sqlite: sql`SELECT name FROM sqlite_schema WHERE type = 'table'`,
  postgres: sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
}

/** Read once: they are part of the program. */
const known = new Map<Engine['engine'], Promise<Migration[]>>()

const ours = ({ engine }: Engine): Promise<Migration[]> => {
  const found = known.get(engine) ?? read(engine)
  known.set(engine, found)
  return found
}

const read = async (engine: Engine['engine']): Promise<Migration[]> => {
  const ofLedger = readMigrations(ledgerMigrations, 'ledger', engine)
  const ofRooms = resources.map(({ name, migrations }) => readMigrations(migrations, name, engine))
  return (await Promise.all([ofLedger, ...ofRooms])).flat()
}

const nameOf = ({ room, name }: Pick<Migration, 'room' | 'name'>) => `${room}/${name}`

import { ledgerMigrations } from '#ledger/migrations.ts'
import { resources } from '#resources/index.ts'
import type { Row } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { halfMoved, type Migration, migrate, readMigrations, unfinishedMove } from '#sql/migrate.ts'
import { sql } from '#sql/query.ts'
import { DataUnusable } from '#sql/unusable.ts'

/** Brings a database to the tables of this program: the ledger's, and those of every room. */
export const migrateAll = async (db: Engine) => migrate(db, await ours(db))

/** Whether the tables are those of this program, and of no later one. */
export const isCurrent = async (db: Engine): Promise<boolean> => {
  const expected = new Set((await ours(db)).map(nameOf))
  const applied = await appliedNames(db)
  return applied.length === expected.size && applied.every((name) => expected.has(name))
}

/** Refuses what a start of this program would make or change first: who only looks leaves it as it is. */
export const requireCurrent = async (db: Engine) => {
  if (!(await tableNames(db)).includes('migration'))
    throw new DataUnusable('otherTables', 'There is no database of Rollcall there.')
  if ((await appliedNames(db)).includes(nameOf(unfinishedMove))) throw halfMoved()
  if (!(await isCurrent(db))) throw new DataUnusable('otherTables', otherTables)
}

const otherTables =
  'Its tables are not those of this version. A start of the service brings those of an earlier one up to it: start it on a copy, and look at that.'

/** What is in a database, before a start has made or changed anything. */
export type Tables = 'none' | 'foreign' | 'older' | 'current'

/** Throws where a start would: the tables are of a later program, or half a move. */
export const tablesOf = async (db: Engine): Promise<Tables> => {
  const tables = await tableNames(db)
  if (tables.length === 0) return 'none'
  if (!tables.includes('migration')) return 'foreign'
  const applied = new Set(await appliedNames(db))
  const known = await ours(db)
  // With those alone that have run none is left to run.
  await migrate(
    db,
    known.filter((one) => applied.has(nameOf(one))),
  )
  return applied.size === known.length ? 'current' : 'older'
}

const appliedNames = (db: Engine) => db.read(sql`SELECT room, name FROM migration`, toName)

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
const toName = (row: Row) => `${row.room}/${row.name}`

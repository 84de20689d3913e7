import { ledgerMigrations } from '#ledger/migrations.ts'
import { resources } from '#resources/index.ts'
import type { Row } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { type Migration, migrate, readMigrations } from '#sql/migrate.ts'
import { sql } from '#sql/query.ts'

/** Brings a database to the tables of this program: the ledger's, and those of every room. */
export const migrateAll = async (db: Engine) => migrate(db, await ours(db))

/** Whether the tables are those of this program, and of no later one. */
export const isCurrent = async (db: Engine): Promise<boolean> => {
  const expected = new Set((await ours(db)).map(nameOf))
  const applied = await db.read(sql`SELECT room, name FROM migration`, toName)
  return applied.length === expected.size && applied.every((name) => expected.has(name))
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

const nameOf = ({ room, name }: Migration) => `${room}/${name}`
const toName = (row: Row) => `${row.room}/${row.name}`

import { ledgerMigrations } from '#ledger/migrations.ts'
import { resources } from '#resources/index.ts'
import type { Engine } from '#sql/engine.ts'
import { migrate, readMigrations } from '#sql/migrate.ts'

/** Brings a database to the tables of this program: the ledger's, and those of every room. */
export const migrateAll = async (db: Engine) => {
  const ofLedger = readMigrations(ledgerMigrations, 'ledger', db.engine)
  const ofRooms = resources.map(({ name, migrations }) => readMigrations(migrations, name, db.engine))
  await migrate(db, (await Promise.all([ofLedger, ...ofRooms])).flat())
}

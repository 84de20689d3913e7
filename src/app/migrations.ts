import { rootCauseOf } from '#core/cause.ts'
import { memoizeByObject, memoizeSuccess } from '#core/once.ts'
import { ledgerMigrations } from '#ledger/migrations.ts'
import { resources as builtIn } from '#resources/index.ts'
import type { Resource } from '#resources/resource.ts'
import { pendingSteps, refuseUndeclared } from '#sql/declared.ts'
import type { Engine } from '#sql/engine.ts'
import {
  type Migration,
  type MigrationReport,
  migrate,
  migrationName,
  readApplied,
  refuseUnknown,
  tryCreation,
  tryMigrate,
} from '#sql/migrate.ts'
import { readMigrations } from '#sql/migration-files.ts'
import { sqlitePathOf } from '#sql/open.ts'
import { codeOf } from '#sql/postgres/errors.ts'
import { sql } from '#sql/query.ts'
import { DataUnusable } from '#sql/unusable.ts'
import type { Log } from '#src/log.ts'

/**
 * Migrates the tables of the ledger and of every resource. Returns the names of the migrations that ran. If no migration is pending,
 * the database role needs no right to create tables.
 */
export const migrateAll = async (
  db: Engine,
  resources = builtIn,
  report?: MigrationReport,
): Promise<readonly string[]> => {
  const pending = await pendingMigrations(db, resources).catch(refuseUnreadable)
  if (pending.length > 0)
    await migrate(db, await migrationsFor(db, resources), {
      declared: declaredTablesOf(resources),
      report,
    }).catch((error) => refuseMissingPrivilege(error, cannotMigrateText(pending)))
  return pending
}

/** Logs the migrations of a new database in one line, so that the output of the first start is easy to read. */
export const migrationReport = ({ logger }: Log): MigrationReport => ({
  rewriting: (migration) =>
    logger.info({ migration }, `migrating ${migration}: rewriting rows, some minutes for a million`),
  migrated: (migration, ms) => logger.info({ migration, ms }, `migrated ${migration} in ${ms} ms`),
  created(migrations) {
    const times = Object.values(migrations)
    const ms = times.reduce((sum, each) => sum + each, 0)
    logger.info({ migrations, ms }, `created the tables: ${times.length} migrations in ${ms} ms`)
  },
})

const refuseMissingPrivilege = (error: unknown, words: string): never => {
  if (codeOf(error) !== insufficientPrivilege) throw error
  throw new DataUnusable('unreadable', `${words} PostgreSQL says: ${rootCauseOf(error)}.`, error)
}

/** The server's code for a missing privilege. */
export const insufficientPrivilege = '42501'

const refuseUnreadable = (error: unknown) =>
  refuseMissingPrivilege(
    error,
    'The role of DATABASE_URL may not use the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA … to it, as their owner, and for the tables of later versions ALTER DEFAULT PRIVILEGES GRANT the same ON TABLES.',
  )

const cannotMigrateText = (pending: readonly string[]) =>
  `The role of DATABASE_URL may not create or change tables, and this version needs the migrations ${pending.join(', ')}. Run \`rollcall migrate\` as the role that owns the tables.`

/** True if the tables have the schema of this version, neither an older nor a newer one. */
export const areTablesCurrent = async (db: Engine, resources = builtIn): Promise<boolean> => {
  try {
    return (await pendingMigrations(db, resources)).length === 0
  } catch (error) {
    if (error instanceof DataUnusable) return false
    throw error
  }
}

/** Refuses a database that needs migrations, because a read-only use must not change the tables. */
export const requireCurrentTables = async (db: Engine, resources: readonly Resource[], url: string) => {
  const name = sqlitePathOf(url) ?? 'the database'
  if (!(await isMigrated(db)))
    throw new DataUnusable('otherTables', `There are no tables of Rollcall in ${name}.`)
  if ((await pendingMigrations(db, resources)).length > 0)
    throw new DataUnusable(
      'olderSchema',
      `The tables in ${name} are those of an earlier version. \`rollcall migrate\` brings them up to date, and so does a start of the service. To keep them as they are, migrate a copy of the database, and use the copy.`,
    )
}

/** The tables of a database before a start creates or changes any. `foreign`: only tables of other programs. */
export type TablesState = 'none' | 'foreign' | 'older' | 'current'

/**
 * Inspects the tables, and throws if a start would fail. Runs the migrations in a transaction that is rolled back. Pending
 * migrations of an older database are not tried, because a service may be using its tables.
 */
export const inspectTables = async (db: Engine, resources = builtIn): Promise<TablesState> => {
  const pending = await pendingMigrations(db, resources).catch(refuseUnreadable)
  if (pending.length === 0) return 'current'
  const [tables, migrations] = [await tableNames(db), await migrationsFor(db, resources)]
  const isNew = migrations.every((one) => pending.includes(migrationName(one)))
  const trial = isNew ? tryMigrate(db, migrations, declaredTablesOf(resources)) : tryCreation(db)
  await trial.catch((error) => refuseMissingPrivilege(error, cannotMigrateText(pending)))
  if (!isNew) return 'older'
  return tables.length === 0 ? 'none' : 'foreign'
}

const isMigrated = async (db: Engine) => (await tableNames(db)).includes('migration')

/**
 * The names of the migrations that have not run yet, and of the declared columns that do not exist yet. Throws if an unknown
 * migration has run, or if a table differs from its declaration in any other way.
 */
const pendingMigrations = async (db: Engine, resources: readonly Resource[]): Promise<readonly string[]> => {
  const [migrations, declared] = [await migrationsFor(db, resources), declaredTablesOf(resources)]
  const columns = async () => (await Promise.all(declared.map((one) => pendingSteps(db, one)))).flat()
  if (!(await isMigrated(db))) return [...migrations.map(migrationName), ...(await columns())]
  const applied = await readApplied(db)
  refuseUnknown(applied, migrations, declared)
  const names = new Set(applied.map(migrationName))
  const pending = migrations.filter((one) => !names.has(migrationName(one))).map(migrationName)
  if (pending.length > 0) return [...pending, ...(await columns().catch(() => []))]
  for (const one of declared) await refuseUndeclared(db, one, applied)
  return columns()
}

export const declaredTablesOf = (resources: readonly Resource[]) =>
  resources.flatMap(({ declared }) => declared ?? [])

const tableNames = (db: Engine) => db.read(allTables[db.engine], (row) => String(row.name))

const allTables = {
  sqlite: sql`SELECT name FROM sqlite_schema WHERE type = 'table'`,
  postgres: sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
}

export const migrationsFor = (
  { engine }: Engine,
  resources: readonly Resource[],
): Promise<readonly Migration[]> => migrationsByEngine(resources)[engine]()

const readAllMigrations = async (
  engine: Engine['engine'],
  resources: readonly Resource[],
): Promise<readonly Migration[]> => {
  const ledger = readMigrations(ledgerMigrations, 'ledger', engine)
  const others = resources.map(async ({ name, migrations: folder, migrationCode }) => {
    const migrations = folder ? await readMigrations(folder, name, engine) : []
    return migrations.map((one) => ({ ...one, code: migrationCode?.[one.name] }))
  })
  return (await Promise.all([ledger, ...others])).flat()
}

/** The migrations are read once, because they are part of the program. */
const migrationsByEngine = memoizeByObject((resources: readonly Resource[]) => ({
  sqlite: memoizeSuccess(() => readAllMigrations('sqlite', resources)),
  postgres: memoizeSuccess(() => readAllMigrations('postgres', resources)),
}))

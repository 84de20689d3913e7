import { createHash } from 'node:crypto'
import { catalogs, toCatalogEntry } from './catalog.ts'
import type { Database, Row, Transaction } from './database.ts'
import {
  createMissing,
  type DeclaredTable,
  isColumnRecord,
  isTableAbsent,
  recomputeRows,
  refuseUndeclared,
} from './declared.ts'
import { dropIndexes, withoutReferencesTo } from './declared-indexes.ts'
import type { AlterTransaction, Engine } from './engine.ts'
import { sql } from './query.ts'
import { DataUnusable } from './unusable.ts'

export interface Migration {
  /** The resource or module that owns the tables. */
  readonly owner: string
  /** Unique per owner. The migrations of an owner run in the order of their names. */
  readonly name: string
  readonly text: string
  /** Work that SQL cannot do. Runs in the same transaction after the texts of all migrations, so it finds the newest tables. */
  readonly code?: MigrationCode | undefined
}

export type MigrationCode = (tx: Transaction) => Promise<void>

/** Called while migrations run. No migration counts as applied until all of them are committed. */
export interface MigrationReport {
  /** Called before or during a step that rewrites rows, which takes minutes for a million rows. */
  rewriting(step: string): void
  migrated?(step: string, ms: number): void
  /** Called once for a new database, with the milliseconds of each step. */
  created?(steps: Readonly<Record<string, number>>): void
}

interface MigrateOptions {
  readonly declared?: readonly DeclaredTable[]
  readonly report?: MigrationReport | undefined
}

/** Brings the tables up to date. Each migration runs once. All pending migrations share one transaction. */
export const migrate = async (
  engine: Engine,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
) => {
  await engine.alter((tx) => migrateIn(tx, migrations, options)).catch(throwUnusable)
}

/** Throws if `migrate` would throw, but changes nothing. */
export const tryMigrate = (
  engine: Engine,
  migrations: readonly Migration[],
  declared: readonly DeclaredTable[] = [],
) => runAndRollBack(engine, (tx) => migrateIn(tx, migrations, { declared })).catch(throwUnusable)

/** Throws if the role of the connection may not create tables. Changes nothing. */
export const tryCreation = (engine: Engine) =>
  runAndRollBack(engine, (tx) => tx.exec(migrationTable)).catch(throwUnusable)

interface FreshCatalogOptions {
  readonly declared: readonly DeclaredTable[]
  /** Opens an empty SQLite database. */
  readonly openEmpty: () => Promise<Engine>
}

/** The catalog that these migrations and declarations would create in an empty database. Everything is rolled back. */
export const freshCatalog = async (
  engine: Engine,
  migrations: readonly Migration[],
  { declared, openEmpty }: FreshCatalogOptions,
) => {
  const migrateAndRead = async (tx: AlterTransaction) => {
    await migrateIn(tx, migrations, { declared })
    return tx.read(catalogs[engine.engine], toCatalogEntry)
  }
  if (engine.engine === 'postgres')
    return runAndRollBack(engine, async (tx) => {
      await tx.exec('CREATE SCHEMA rollcall_anew; SET LOCAL search_path TO rollcall_anew')
      return migrateAndRead(tx)
    })
  const empty = await openEmpty()
  return runAndRollBack(empty, migrateAndRead).finally(empty.close)
}

const runAndRollBack = async <T>(engine: Engine, work: (tx: AlterTransaction) => Promise<T>): Promise<T> => {
  const results: T[] = []
  const rollback = new Error('this error only rolls back')
  const transaction = engine.alter(async (tx) => {
    results.push(await work(tx))
    throw rollback
  })
  await transaction.catch((error) => {
    if (error !== rollback) throw error
  })
  return results.at(-1) as T
}

const migrateIn = async (
  tx: AlterTransaction,
  migrations: readonly Migration[],
  { declared = [], report }: MigrateOptions,
) => {
  await tx.exec(migrationTable)
  const applied = await tx.read(appliedQuery, toApplied)
  refuseUnknown(applied, migrations, declared)
  const pending = migrations.filter((migration) => !applied.some((one) => isSameMigration(one, migration)))
  const areAbsent = await Promise.all(declared.map((one) => isTableAbsent(tx, one)))
  const absent = new Set(declared.filter((_, at) => areAbsent[at]).map(({ table }) => table.name))
  const whole = declared.filter(({ managedFields }) => managedFields === undefined)
  // `createMissing` creates these tables as declared now, so their migrations are recorded but not run.
  const created = new Set(whole.filter(({ table }) => absent.has(table.name)).map(({ resource }) => resource))
  const owners = new Set(pending.map(({ owner }) => owner).filter((owner) => !created.has(owner)))
  const rewritten = whole.filter(({ resource }) => owners.has(resource))
  for (const one of rewritten) await dropIndexes(tx, one)
  const isNew = applied.length === 0
  const steps: Record<string, number> = {}
  let startedAtMs = performance.now()
  const finishStep = (step: string) => {
    steps[step] = Math.round(performance.now() - startedAtMs)
    startedAtMs = performance.now()
    if (!isNew) report?.migrated?.(step, steps[step])
  }
  for (const migration of pending) {
    const name = migrationName(migration)
    const isCustom = rewritten.some(({ resource }) => resource === migration.owner)
    if (owners.has(migration.owner))
      await reportIfLong(tx.exec(migration.text), () => report?.rewriting(name)).catch((error) =>
        throwUnusable(error, isCustom ? `The migration ${name} failed` : undefined),
      )
    await tx.run(sql`
      INSERT INTO migration (room, name, checksum)
      VALUES (${migration.owner}, ${migration.name}, ${checksum(migration)})`)
    finishStep(name)
  }
  // Tables may refer to one another, so references to tables that do not exist yet are added in a second round.
  for (const one of declared) {
    absent.delete(one.table.name)
    for (const step of await createMissing(tx, withoutReferencesTo(one, absent))) finishStep(step)
  }
  for (const one of declared) {
    for (const step of await createMissing(tx, one)) finishStep(step)
    await refuseUndeclared(tx, one, applied)
    if (rewritten.includes(one)) await recomputeRows(tx, one)
  }
  // Several migrations may share code, which then runs once.
  for (const [code, migration] of new Map(pending.map((one) => [one.code, one]))) {
    if (code && !isNew) report?.rewriting(migrationName(migration))
    await code?.(tx)
    if (code) finishStep(`${migrationName(migration)}, rows`)
  }
  if (isNew) report?.created?.(steps)
}

/** A migration that takes this long rewrites many rows. */
const longMs = 2000

const reportIfLong = async (work: Promise<void>, report: () => void) => {
  const timer = setTimeout(report, longMs)
  await work.finally(() => clearTimeout(timer))
}

export const migrationName = ({ owner, name }: Pick<Migration, 'owner' | 'name'>) => `${owner}/${name}`

/** Turns a database error, such as that a table already exists, into one that tells a person what to fix. */
export const throwUnusable = (error: unknown, failure = 'Its tables cannot be those of Rollcall'): never => {
  if (!(error instanceof Error && 'code' in error)) throw error
  throw new DataUnusable('otherTables', `${failure}: ${error.message}.`, error)
}

export const readApplied = (db: Database): Promise<readonly AppliedMigration[]> =>
  db.read(appliedQuery, toApplied).catch(throwUnusable)

/** While the migration table has this row, no service starts on this database, because it may be incomplete. */
export const unfinishedMoveRow = { owner: 'move', name: 'unfinished' }

const halfMoved = () =>
  new DataUnusable(
    'halfMoved',
    'A move to this database has not ended. Run `rollcall move` again to resume it. If the source or Rollcall has changed ' +
      'since, it cannot resume: empty this database first.',
  )

export interface AppliedMigration {
  readonly owner: string
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

const toApplied = (row: Row): AppliedMigration => ({
  owner: String(row.room),
  name: String(row.name),
  checksum: String(row.checksum),
})

/** Refuses a database if this program lacks one of its migrations, or has it with another text. */
export const refuseUnknown = (
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  declared: readonly DeclaredTable[] = [],
) => {
  for (const one of applied) {
    if (isSameMigration(one, unfinishedMoveRow)) throw halfMoved()
    if (isColumnRecord(one.name)) {
      if (declared.some(({ resource }) => resource === one.owner)) continue
      throw undeclared(one)
    }
    const ours = migrations.find((migration) => isSameMigration(migration, one))
    if (!ours) throw newerSchema(one)
    if (checksum(ours) !== one.checksum) throw otherSchema(one)
  }
}

const undeclared = ({ owner }: AppliedMigration) =>
  new DataUnusable(
    'newerSchema',
    `The database has the table of ${owner}, which no resource declares. Start with the RESOURCES that declare it.`,
  )

const newerSchema = ({ owner, name }: AppliedMigration) =>
  new DataUnusable(
    'newerSchema',
    `The database has the migration ${owner}/${name} that this program does not know. Start the program that applied it, or a later one.`,
  )

/** The database may be older or newer than this program. In both cases, this program cannot migrate it. */
const otherSchema = ({ owner, name }: AppliedMigration) =>
  new DataUnusable(
    'otherSchema',
    `The database has the migration ${owner}/${name} with content that differs from this program's. Start the program that applied it, or export with that one and import into a new database with this one.`,
  )

const isSameMigration = (one: Pick<Migration, 'owner' | 'name'>, other: Pick<Migration, 'owner' | 'name'>) =>
  one.owner === other.owner && one.name === other.name

const checksum = ({ text }: Migration) => createHash('sha256').update(text).digest('hex')

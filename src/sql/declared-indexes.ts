import { isNullable, startingValueOf } from '#core/schema.ts'
import type { Database, Row, Transaction } from './database.ts'
import type { DeclaredTable } from './declared.ts'
import { rebuildDerived } from './derive.ts'
import type { AlterTransaction } from './engine.ts'
import { raw, statement, type Value } from './query.ts'
import { type Column, quoted, type Table, toSnakeCase } from './table.ts'
import { DataUnusable } from './unusable.ts'

export type TableReader = Pick<Transaction, 'read' | 'engine'>
export type EngineName = Database['engine']

interface Index {
  readonly name: string
  readonly column: string
  readonly isUnique: boolean
}

type IndexChanges = Awaited<ReturnType<typeof indexChangesOf>>

/** The indexes and derived columns that a table must gain or lose to match its declaration. `present` has the names of its columns. */
export const indexChangesOf = async (
  db: TableReader,
  declared: DeclaredTable,
  present: ReadonlySet<string>,
) => {
  const { resource, table } = declared
  const existingIndexes = new Map(
    await db.read(statement(indexesQueries[db.engine], [table.name], []), toIndex),
  )
  const [indexes, derived] = [declaredIndexesOf(declared), managedDerivedColumns(declared)]
  const managedNames = new Set(managedColumnsOf(declared).map(({ name }) => name))
  const isManaged = (column: string) =>
    managedNames.has(fieldColumnOf(column)) || (declared.managedFields === undefined && isDerivedName(column))
  const isDeclaredUnique = (name: string) => indexes.some((one) => one.name === name && one.isUnique)
  const droppedIndexes = [...existingIndexes]
    .filter(
      ([name, isUnique]) =>
        isUnique && isManaged(name.slice(table.name.length + 1)) && !isDeclaredUnique(name),
    )
    .map(([name]) => name)
  const addedIndexes = indexes.filter(({ name, isUnique }) => existingIndexes.get(name) !== isUnique)
  const droppedColumns = [...present].filter(
    (name) => isDerivedName(name) && isManaged(name) && !derived.includes(name),
  )
  const addedColumns = derived.filter((name) => present.size > 0 && !present.has(name))
  const isFieldPresent = (column: string) => present.has(fieldColumnOf(column))
  /** Only for fields that the table already has. For example `loan/+loan_title__key`. */
  const steps = [
    ...[...droppedIndexes, ...droppedColumns].map((name) => `-${name}`),
    ...addedColumns.filter(isFieldPresent).map((name) => `+${name}`),
    ...addedIndexes.filter(({ column }) => isFieldPresent(column)).map(({ name }) => `+${name}`),
  ].map((step) => `${resource}/${step}`)
  /** True if the existing rows need values in the added columns. */
  const mustRebuildDerived = addedColumns.some(
    (name) => isFieldPresent(name) || startingValueOf(schemaOf(declared, name)) !== undefined,
  )
  return { droppedIndexes, droppedColumns, addedColumns, addedIndexes, mustRebuildDerived, steps }
}

/** Applies the changes of `indexChangesOf`. Refuses a field that is declared Unique if two records have the same value. */
export const applyIndexChanges = async (
  tx: AlterTransaction,
  declared: DeclaredTable,
  indexChanges: IndexChanges,
) => {
  const { table, unique } = declared
  const tableName = quoted(table.name)
  for (const name of [...indexChanges.droppedIndexes, ...indexChanges.addedIndexes.map((one) => one.name)])
    await tx.exec(`DROP INDEX IF EXISTS ${quoted(name)};`)
  for (const name of indexChanges.droppedColumns)
    await tx.exec(`ALTER TABLE ${tableName} DROP COLUMN ${quoted(name)};`)
  for (const name of indexChanges.addedColumns) {
    const starting = isNullable(schemaOf(declared, name)) ? undefined : ''
    await addColumn(tx, table, { name, definition: derivedDefinition(declared, name, tx.engine), starting })
  }
  if (indexChanges.mustRebuildDerived) await rebuildDerived(tx, table)
  for (const { name, column, isUnique } of indexChanges.addedIndexes) {
    if (isUnique) await refuseDuplicates(tx, declared, column, unique[column] ?? column)
    const kind = isUnique ? 'UNIQUE INDEX' : 'INDEX'
    await tx.exec(`CREATE ${kind} ${quoted(name)} ON ${tableName} (${quoted(column)});`)
  }
}

/**
 * Drops the indexes that the service created, so that a migration can rename or drop their columns: SQLite drops no column that has an
 * index, and an index keeps its name. `createMissing` creates them again.
 */
export const dropIndexes = async (tx: AlterTransaction, { table }: DeclaredTable) => {
  const indexes = await tx.read(statement(indexesQueries[tx.engine], [table.name], []), toIndex)
  for (const [name] of indexes)
    if (name.startsWith(`${table.name}_`)) await tx.exec(`DROP INDEX ${quoted(name)};`)
}

interface AddedColumn {
  readonly name: string
  readonly definition: string
  readonly starting: Value | undefined
}

export const addColumn = async (
  tx: AlterTransaction,
  { name: table }: Pick<Table, 'name'>,
  { name, definition, starting }: AddedColumn,
) => {
  const alterTable = `ALTER TABLE ${quoted(table)}`
  await tx.exec(
    `${alterTable} ADD COLUMN ${definition}${starting === undefined ? '' : ` DEFAULT ${sqlLiteral(starting)}`};`,
  )
  // The default is only for existing rows. SQLite cannot drop it.
  if (starting !== undefined && tx.engine === 'postgres')
    await tx.exec(`${alterTable} ALTER COLUMN ${quoted(name)} DROP DEFAULT;`)
}

const sqlLiteral = (value: Value) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

const derivedType = { sqlite: 'TEXT', postgres: 'text COLLATE "C"' }

/** The definition of a derived column, which `rebuildDerived` fills. */
export const derivedDefinition = (declared: DeclaredTable, name: string, engine: EngineName) =>
  `${quoted(name)} ${derivedType[engine]}${isNullable(schemaOf(declared, name)) ? '' : ' NOT NULL'}`

/** The schema of the field that a derived column is computed from. */
const schemaOf = ({ table, derivedFrom }: DeclaredTable, column: string) =>
  table.columns.find(({ field }) => field === derivedFrom[column])?.schema ?? {}

/** The columns that the service creates when it starts. */
export const managedColumnsOf = ({ table, managedFields }: DeclaredTable): readonly Column[] =>
  table.columns.filter(({ field }) => managedFields?.includes(field) ?? true)

/** The table without the columns that refer to absent tables. */
export const withoutReferencesTo = (declared: DeclaredTable, absent: ReadonlySet<string>): DeclaredTable => {
  const { table } = declared
  const refersToAbsent = (field: string) =>
    table.references.some((one) => one.field === field && absent.has(one.table))
  if (!table.columns.some(({ field }) => refersToAbsent(field))) return declared
  return {
    ...declared,
    table: { ...table, columns: table.columns.filter(({ field }) => !refersToAbsent(field)) },
  }
}

/** Only derived columns end like this: field names have no underscores, so the column of a field has only single ones. */
const derivedSuffix = /__(?:folded|key)$/

export const isDerivedName = (column: string) => derivedSuffix.test(column)
const fieldColumnOf = (column: string) => column.replace(derivedSuffix, '')

const managedDerivedColumns = (declared: DeclaredTable) => {
  const managed = new Set(managedColumnsOf(declared).map(({ field }) => field))
  return declared.table.derived.filter((name) => managed.has(declared.derivedFrom[name] ?? ''))
}

/** One index for each column that is unique or a reference. */
const declaredIndexesOf = (declared: DeclaredTable): readonly Index[] => {
  const { table, unique } = declared
  const managed = new Set(managedColumnsOf(declared).map(({ field }) => field))
  const index = (isUnique: boolean) => (column: string) => ({
    name: `${table.name}_${column}`,
    column,
    isUnique,
  })
  const uniqueColumns = Object.keys(unique).filter((column) => managed.has(unique[column] ?? ''))
  const references = table.references
    .filter(({ field }) => managed.has(field))
    .map(({ field }) => toSnakeCase(field))
  return [
    ...uniqueColumns.map(index(true)),
    ...references.filter((column) => !(column in unique)).map(index(false)),
  ]
}

const refuseDuplicates = async (
  tx: TableReader,
  { resource, table }: DeclaredTable,
  column: string,
  field: string,
) => {
  const key = `CAST(${quoted(table.key)} AS TEXT)`
  const duplicates = await tx.read(
    raw(`
      SELECT min(${key}) AS one, max(${key}) AS other FROM ${quoted(table.name)} WHERE ${quoted(column)} IS NOT NULL
      GROUP BY ${quoted(column)} HAVING count(*) > 1 LIMIT 1`),
    ({ one, other }: Row) => `${one} and ${other}`,
  )
  if (duplicates[0] !== undefined)
    throw new DataUnusable(
      'otherSchema',
      `The field "${field}" of ${resource} is declared Unique, but the records ${duplicates[0]} have the same value. ` +
        'Start with the declaration as it was, and change one of them.',
    )
}

const indexesQueries = {
  sqlite: `SELECT name, "unique" AS is_unique FROM pragma_index_list(?) WHERE origin = 'c'`,
  postgres: `
    SELECT index.relname AS name, indisunique AS is_unique FROM pg_index
    JOIN pg_class AS index ON index.oid = indexrelid JOIN pg_class AS owner ON owner.oid = indrelid
    WHERE owner.relname = ? AND owner.relnamespace = current_schema()::regnamespace AND NOT indisprimary`,
}

const toIndex = (row: Row): [string, boolean] => [String(row.name), Boolean(row.is_unique)]

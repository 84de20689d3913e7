import { isNullable, startingOf } from '#core/schema.ts'
import type { Database, Row, Transaction } from './database.ts'
import type { DeclaredTable } from './declared.ts'
import { rebuildDerived } from './derive.ts'
import type { AlterTransaction } from './engine.ts'
import { raw, statement, type Value } from './query.ts'
import { type Column, quoted, snake, type Table } from './table.ts'
import { DataUnusable } from './unusable.ts'

export type Reader = Pick<Transaction, 'read' | 'engine'>
export type EngineName = Database['engine']

interface Index {
  readonly name: string
  readonly column: string
  readonly isUnique: boolean
}

type IndexChanges = Awaited<ReturnType<typeof indexChangesOf>>

/**
 * How the indexes and derived columns of a table differ from its declaration. Bridging this loses no data. `present` has the
 * columns of the table, or none if there is no table yet.
 */
export const indexChangesOf = async (db: Reader, declared: DeclaredTable, present: ReadonlySet<string>) => {
  const { resource, table } = declared
  const there = new Map(await db.read(statement(indexesOf[db.engine], [table.name], []), toIndex))
  const [indexes, derived] = [indexesIn(declared), derivedIn(declared)]
  const own = new Set(managedColumns(declared).map(({ name }) => name))
  const isOwn = (column: string) =>
    own.has(fieldColumn(column)) || (declared.added === undefined && isDerived(column))
  const isKept = (name: string) => indexes.some((one) => one.name === name && one.isUnique)
  const droppedIndexes = [...there]
    .filter(([name, isUnique]) => isUnique && isOwn(name.slice(table.name.length + 1)) && !isKept(name))
    .map(([name]) => name)
  const addedIndexes = indexes.filter(({ name, isUnique }) => there.get(name) !== isUnique)
  const droppedColumns = [...present].filter(
    (name) => isDerived(name) && isOwn(name) && !derived.includes(name),
  )
  const addedColumns = derived.filter((name) => present.size > 0 && !present.has(name))
  const wasThere = (column: string) => present.has(fieldColumn(column))
  const steps = [
    ...[...droppedIndexes, ...droppedColumns].map((name) => `-${name}`),
    ...addedColumns.filter(wasThere).map((name) => `+${name}`),
    ...addedIndexes.filter(({ column }) => wasThere(column)).map(({ name }) => `+${name}`),
  ]
  return {
    ...{ droppedIndexes, droppedColumns, addedColumns, addedIndexes },
    /** Whether existing rows have values for the added columns. */
    isFilled: addedColumns.some(
      (name) => wasThere(name) || startingOf(schemaOf(declared, name)) !== undefined,
    ),
    /** The steps for columns that the table has already, as `loan/+loan_title__key`. */
    steps: steps.map((step) => `${resource}/${step}`),
  }
}

/** Makes the indexes and derived columns those of the declaration. Refuses a unique field with equal values. */
export const applyIndexChanges = async (
  tx: AlterTransaction,
  declared: DeclaredTable,
  indexChanges: IndexChanges,
) => {
  const { table, unique } = declared
  const on = quoted(table.name)
  for (const name of [...indexChanges.droppedIndexes, ...indexChanges.addedIndexes.map((one) => one.name)])
    await tx.exec(`DROP INDEX IF EXISTS ${quoted(name)};`)
  for (const name of indexChanges.droppedColumns)
    await tx.exec(`ALTER TABLE ${on} DROP COLUMN ${quoted(name)};`)
  for (const name of indexChanges.addedColumns) {
    const starting = isNullable(schemaOf(declared, name)) ? undefined : ''
    await addColumn(tx, table, { name, definition: derivedDefinition(declared, name, tx.engine), starting })
  }
  if (indexChanges.isFilled) await rebuildDerived(tx, table, async () => {})
  for (const { name, column, isUnique } of indexChanges.addedIndexes) {
    if (isUnique) await refuseDoubles(tx, declared, column, unique[column] ?? column)
    const kind = isUnique ? 'UNIQUE INDEX' : 'INDEX'
    await tx.exec(`CREATE ${kind} ${quoted(name)} ON ${on} (${quoted(column)});`)
  }
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
  const on = `ALTER TABLE ${quoted(table)}`
  await tx.exec(
    `${on} ADD COLUMN ${definition}${starting === undefined ? '' : ` DEFAULT ${literal(starting)}`};`,
  )
  // Only existing rows need the default. SQLite cannot drop it.
  if (starting !== undefined && tx.engine === 'postgres')
    await tx.exec(`${on} ALTER COLUMN ${quoted(name)} DROP DEFAULT;`)
}

const literal = (value: Value) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

const derivedType = { sqlite: 'TEXT', postgres: 'text COLLATE "C"' }

/** The definition of a derived column. `rebuildDerived` fills it. */
export const derivedDefinition = (declared: DeclaredTable, name: string, engine: EngineName) =>
  `${quoted(name)} ${derivedType[engine]}${isNullable(schemaOf(declared, name)) ? '' : ' NOT NULL'}`

/** The schema of the field that a derived column is computed from. */
const schemaOf = ({ table, derivedFrom }: DeclaredTable, column: string) =>
  table.columns.find(({ field }) => field === derivedFrom[column])?.schema ?? {}

/** The columns that a start makes. */
export const managedColumns = ({ table, added }: DeclaredTable): readonly Column[] =>
  table.columns.filter(({ field }) => added?.includes(field) ?? true)

/** The table without the columns that refer to tables which do not exist yet. */
export const withoutReferencesTo = (declared: DeclaredTable, absent: ReadonlySet<string>): DeclaredTable => {
  const { table } = declared
  const isLater = (field: string) =>
    table.references.some((one) => one.field === field && absent.has(one.table))
  if (!table.columns.some(({ field }) => isLater(field))) return declared
  return { ...declared, table: { ...table, columns: table.columns.filter(({ field }) => !isLater(field)) } }
}

/** Names of fields have no underscores, so the column of a field never ends like this. */
const derivedEnd = /__(?:folded|key)$/

export const isDerived = (column: string) => derivedEnd.test(column)
const fieldColumn = (column: string) => column.replace(derivedEnd, '')

const derivedIn = (declared: DeclaredTable) => {
  const own = new Set(managedColumns(declared).map(({ field }) => field))
  return declared.table.derived.filter((name) => own.has(declared.derivedFrom[name] ?? ''))
}

/** One index for each column that is unique or a reference. */
const indexesIn = (declared: DeclaredTable): readonly Index[] => {
  const { table, unique } = declared
  const own = new Set(managedColumns(declared).map(({ field }) => field))
  const index = (isUnique: boolean) => (column: string) => ({
    name: `${table.name}_${column}`,
    column,
    isUnique,
  })
  const uniqueColumns = Object.keys(unique).filter((column) => own.has(unique[column] ?? ''))
  const references = table.references.filter(({ field }) => own.has(field)).map(({ field }) => snake(field))
  return [
    ...uniqueColumns.map(index(true)),
    ...references.filter((column) => !(column in unique)).map(index(false)),
  ]
}

const refuseDoubles = async (
  tx: Reader,
  { resource, table }: DeclaredTable,
  column: string,
  field: string,
) => {
  const key = `CAST(${quoted(table.key)} AS TEXT)`
  const doubles = await tx.read(
    raw(`
      SELECT min(${key}) AS one, max(${key}) AS other FROM ${quoted(table.name)} WHERE ${quoted(column)} IS NOT NULL
      GROUP BY ${quoted(column)} HAVING count(*) > 1 LIMIT 1`),
    ({ one, other }: Row) => `${one} and ${other}`,
  )
  if (doubles[0] !== undefined)
    throw new DataUnusable(
      'otherSchema',
      `The field "${field}" of ${resource} is declared Unique, but the records ${doubles[0]} have the same value. ` +
        'Start with the declaration as it was, and change one of them.',
    )
}

const indexesOf = {
  sqlite: `SELECT name, "unique" AS is_unique FROM pragma_index_list(?) WHERE origin = 'c'`,
  postgres: `
    SELECT index.relname AS name, indisunique AS is_unique FROM pg_index
    JOIN pg_class AS index ON index.oid = indexrelid JOIN pg_class AS owner ON owner.oid = indrelid
    WHERE owner.relname = ? AND owner.relnamespace = current_schema()::regnamespace AND NOT indisprimary`,
}

const toIndex = (row: Row): [string, boolean] => [String(row.name), Boolean(row.is_unique)]

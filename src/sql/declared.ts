import { isNullable, type Schema, startingValueOf } from '#core/schema.ts'
import type { Row, Transaction } from './database.ts'
import {
  addColumn,
  applyIndexChanges,
  derivedDefinition,
  type EngineName,
  indexChangesOf,
  isDerivedName,
  managedColumnsOf,
  type TableReader,
} from './declared-indexes.ts'
import { forEachRow, rebuildDerived } from './derive.ts'
import type { AlterTransaction } from './engine.ts'
import { sql, statement, type Value } from './query.ts'
import { type Column, quoted, type Table, toSnakeCase } from './table.ts'
import { DataUnusable } from './unusable.ts'

/** A table whose columns are derived from a resource's declaration. */
export interface DeclaredTable {
  readonly resource: string
  readonly table: Table<object>
  /** The fields whose columns the service creates when it starts. By default all. */
  readonly managedFields?: readonly string[]
  /** The unique columns, each with its field. */
  readonly unique: Readonly<Record<string, string>>
  /** The derived columns, each with the field that it is computed from. */
  readonly derivedFrom: Readonly<Record<string, string>>
}

/** The name of the row of the migration table that records a created column. */
const columnRecordName = (field: string) => `+${field}`

export const isColumnRecord = (name: string) => name.startsWith('+')

export const isTableAbsent = async (db: TableReader, { table }: DeclaredTable) =>
  (await readColumns(db, table.name)).size === 0

/** The columns and indexes to create, such as `loan/+title`. Throws if the table differs from its declaration in another way. */
export const pendingSteps = async (db: TableReader, declared: DeclaredTable) =>
  (await compare(db, declared)).steps

/** Creates the table, or its missing columns and indexes. Returns what was created, such as `loan/+title`. */
export const createMissing = async (tx: AlterTransaction, declared: DeclaredTable) => {
  const { table, resource } = declared
  const { present, missing, indexChanges, steps } = await compare(tx, declared)
  if (missing.length > 0 && present.size === 0) await tx.exec(createTableText(declared, tx.engine))
  else for (const column of missing) await addDeclaredColumn(tx, declared, column)
  await applyIndexChanges(tx, declared, indexChanges)
  for (const { field } of missing)
    await tx.run(sql`
      INSERT INTO migration (room, name, checksum) VALUES (${resource}, ${columnRecordName(field)}, '')
      ON CONFLICT DO NOTHING`)
  const startingColumns = missing.filter(({ schema }) => startingValueOf(schema) !== undefined)
  const withoutStarting = Object.fromEntries(startingColumns.map(({ field }) => [field, null]))
  const wasIntact = (record: object, old: number) => table.checksum({ ...record, ...withoutStarting }) === old
  if (present.size > 0 && startingColumns.length > 0) await recomputeChecksums(tx, table, wasIntact)
  return steps
}

const compare = async (db: TableReader, declared: DeclaredTable) => {
  const present = await readColumns(db, declared.table.name)
  const missing = missingColumns(declared, present, db.engine)
  const indexChanges = await indexChangesOf(db, declared, new Set(present.keys()))
  if (present.size > 0) await refuseOtherReferences(db, declared, present)
  const created = missing.map(({ field }) => `${declared.resource}/${columnRecordName(field)}`)
  return { present, missing, indexChanges, steps: [...created, ...indexChanges.steps] }
}

/** Refuses a table with a column that belongs to no declared field. `applied` are the rows of the migration table. */
export const refuseUndeclared = async (
  db: TableReader,
  { resource, table, managedFields }: DeclaredTable,
  applied: readonly { readonly owner: string; readonly name: string }[],
) => {
  const known = new Set(table.columns.map(({ name }) => name))
  const present = await readColumns(db, table.name)
  const columnRecords = applied.filter((one) => one.owner === resource && isColumnRecord(one.name))
  for (const field of columnRecords.map(({ name }) => name.slice(1)))
    if (!known.has(toSnakeCase(field)) && present.has(toSnakeCase(field)))
      throw mismatch(resource, `it has the field "${field}", which is not in the declaration`)
  if (managedFields !== undefined) return
  for (const name of present.keys())
    if (!known.has(name) && !isDerivedName(name) && name !== 'checksum')
      throw mismatch(resource, `it has the column "${name}", which belongs to no field`)
}

/** Recomputes the derived columns and checksums of all rows. A hand-written migration may have changed any row. */
export const recomputeRows = async (tx: Transaction, { table }: DeclaredTable) => {
  if (table.derived.length > 0) await rebuildDerived(tx, table)
  await recomputeChecksums(tx, table, () => true)
}

interface ExistingColumn {
  readonly type: string
  readonly isNullable: boolean
}

type Columns = ReadonlyMap<string, ExistingColumn>

const readColumns = async (db: TableReader, table: string): Promise<Columns> =>
  new Map(await db.read(statement(columnsQueries[db.engine], [table], []), toColumn))

const columnsQueries = {
  sqlite: `SELECT name, lower(type) AS type, "notnull" = 0 AND pk = 0 AS may_be_null FROM pragma_table_info(?)`,
  postgres: `
    SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS may_be_null
    FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?`,
}

const toColumn = (row: Row): [string, ExistingColumn] => [
  String(row.name),
  { type: String(row.type), isNullable: Boolean(row.may_be_null) },
]

/** The missing columns, in declaration order. */
const missingColumns = (declared: DeclaredTable, present: Columns, engine: EngineName): readonly Column[] => {
  const { resource } = declared
  const managed = managedColumnsOf(declared)
  const missing = managed.filter(({ name }) => !present.has(name))
  if (present.size === 0) return missing
  for (const { field, name, schema } of managed) {
    const actual = present.get(name)
    const type = typeOf(schema, engine)
    if (!actual) {
      if (isNullable(schema) || startingValueOf(schema) !== undefined) continue
      throw mismatch(resource, `it lacks the field "${field}", which is neither Nullable nor Starting`)
    }
    if (actual.type !== type.toLowerCase().replace(/ collate .*/, ''))
      throw mismatch(resource, `the column of "${field}" is ${actual.type}, and the declaration says ${type}`)
    if (actual.isNullable !== isNullable(schema)) {
      const [is, declaredAs] = actual.isNullable ? ['nullable', 'not null'] : ['not null', 'nullable']
      throw mismatch(resource, `the column of "${field}" is ${is}, and the declaration says ${declaredAs}`)
    }
  }
  return missing
}

const mismatch = (resource: string, how: string) =>
  new DataUnusable(
    'otherSchema',
    `The table of ${resource} differs from its declaration: ${how}. The service can add only fields that are Nullable or Starting. ` +
      'Restore the declaration, or change the table by a migration: a folder of SQL files, named by `migrations` in the declaration.',
  )

const typeOf = (schema: Schema, engine: EngineName): string => {
  const { format, zone }: Schema & { readonly format?: string; readonly zone?: string } = schema
  const isNumber = zone !== undefined || schema.type?.includes('integer')
  if (engine === 'sqlite') return isNumber || schema.type?.includes('boolean') ? 'INTEGER' : 'TEXT'
  if (isNumber) return 'bigint'
  if (schema.type?.includes('boolean')) return 'boolean'
  return format === 'uuid' ? 'uuid' : 'text COLLATE "C"'
}

const definitionOf = ({ table }: DeclaredTable, { name, schema, field }: Column, engine: EngineName) => {
  const reference = table.references.find((one) => one.field === field)
  const references = reference ? ` REFERENCES ${quoted(reference.table)} (${quoted(reference.column)})` : ''
  const notNull = isNullable(schema) ? '' : ' NOT NULL'
  return `${quoted(name)} ${typeOf(schema, engine)}${name === table.key ? ' PRIMARY KEY' : notNull}${references}`
}

const createTableText = (declared: DeclaredTable, engine: EngineName) => {
  const { table } = declared
  const derived = table.derived.map((name) => derivedDefinition(declared, name, engine))
  const checksum = `checksum ${engine === 'sqlite' ? 'INTEGER' : 'bigint'} NOT NULL`
  const columns = [
    ...table.columns.map((column) => definitionOf(declared, column, engine)),
    ...derived,
    checksum,
  ]
  const options = engine === 'sqlite' ? ' STRICT, WITHOUT ROWID' : ''
  return `CREATE TABLE ${quoted(table.name)} (\n  ${columns.join(',\n  ')}\n)${options};`
}

const addDeclaredColumn = (tx: AlterTransaction, declared: DeclaredTable, column: Column) =>
  addColumn(tx, declared.table, {
    name: column.name,
    definition: definitionOf(declared, column, tx.engine),
    starting: startingValueOf(column.schema) as Value | undefined,
  })

/** Refuses a column that refers to another table than declared, because its values may be no ids of the declared table. */
const refuseOtherReferences = async (db: TableReader, declared: DeclaredTable, present: Columns) => {
  const { table, resource } = declared
  const existingReferences = new Map(
    await db.read(statement(referencesQueries[db.engine], [table.name], []), toReference),
  )
  for (const { field, name } of managedColumnsOf(declared)) {
    const wanted = table.references.find((one) => one.field === field)?.table
    const target = existingReferences.get(name)
    if (present.has(name) && target !== wanted)
      throw mismatch(
        resource,
        `the column of "${field}" refers to ${target ?? 'nothing'}, and the declaration says ${wanted ?? 'nothing'}`,
      )
  }
}

const referencesQueries = {
  sqlite: `SELECT "from" AS name, "table" AS target FROM pragma_foreign_key_list(?)`,
  postgres: `
    SELECT attname AS name, target.relname AS target FROM pg_constraint
    JOIN pg_class AS owner ON owner.oid = conrelid JOIN pg_class AS target ON target.oid = confrelid
    JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
    WHERE contype = 'f' AND owner.relname = ? AND owner.relnamespace = current_schema()::regnamespace`,
}

const toReference = (row: Row): [string, string] => [String(row.name), String(row.target)]

/** Recomputes the checksums of the selected rows. Leaves the others, so that `verify` still finds a wrong checksum in them. */
const recomputeChecksums = (
  tx: Transaction,
  table: Table<object>,
  isSelected: (record: object, old: number) => boolean,
) => {
  const text = `UPDATE ${quoted(table.name)} SET checksum = ? WHERE ${quoted(table.key)} = ?`
  return forEachRow(tx, { table, additionalColumns: ['checksum'] }, async (row) => {
    const record = table.toRecord(row)
    if (!isSelected(record, Number(row.checksum))) return
    const id = String(row[table.key])
    await tx.run(statement(text, [table.checksum(record), id], [id]))
  })
}

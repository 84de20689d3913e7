import { isNullable, type Schema, startingOf } from '#core/schema.ts'
import type { Database, Row, Transaction } from './database.ts'
import { eachRow } from './derive.ts'
import type { AlterTransaction } from './engine.ts'
import { sql, statement, type Value } from './query.ts'
import { quoted, snake, type Table } from './table.ts'
import { DataUnusable } from './unusable.ts'

/** A table whose columns are derived from a resource's declaration. */
export interface DeclaredTable {
  /** The resource that declares it. */
  readonly room: string
  readonly table: Table<object>
  /** The fields whose columns a start creates; by default all. */
  readonly added?: readonly string[]
  /** The unique columns, each with its field. */
  readonly unique: Readonly<Record<string, string>>
  /** The derived columns, each with the field that it is computed from. */
  readonly derivedFrom: Readonly<Record<string, string>>
}

/** The name in the migration table that records a created column. */
const recordOf = (field: string) => `+${field}`

export const isColumnRecord = (name: string) => name.startsWith('+')

type Reader = Pick<Transaction, 'read'>
type EngineName = Database['engine']

export const isAbsent = async (db: Reader, engine: EngineName, { table }: DeclaredTable) =>
  (await presentColumns(db, engine, table.name)).size === 0

/** The columns that a start must create, as `loan/+title`. Throws if the table differs from its declaration in another way. */
export const missingColumns = async (
  db: Reader,
  engine: EngineName,
  declared: DeclaredTable,
): Promise<readonly string[]> => {
  const present = await presentColumns(db, engine, declared.table.name)
  return plan(declared, present, engine).map(({ field }) => `${declared.room}/${recordOf(field)}`)
}

/** Creates the table or its missing columns. Returns the created columns, as `loan/+title`. */
export const makeColumns = async (
  tx: AlterTransaction,
  engine: EngineName,
  declared: DeclaredTable,
): Promise<readonly string[]> => {
  const { table, room } = declared
  const present = await presentColumns(tx, engine, table.name)
  const missing = plan(declared, present, engine)
  if (missing.length === 0) return []
  if (present.size === 0) await tx.exec(creation(declared, engine))
  else for (const column of missing) await tx.exec(addition(declared, column, engine))
  await tx.exec(indexes(declared, new Set(missing.map(({ name }) => name))))
  for (const { field } of missing)
    await tx.run(sql`
      INSERT INTO migration (room, name, checksum) VALUES (${room}, ${recordOf(field)}, '')
      ON CONFLICT DO NOTHING`)
  const started = missing.filter(({ schema }) => startingOf(schema) !== undefined)
  if (present.size > 0 && started.length > 0) await renewChecksums(tx, table, started)
  return missing.map(({ field }) => `${room}/${recordOf(field)}`)
}

/** Refuses a table that still has a column which the declaration no longer has. `recorded` are the names in the migration table. */
export const refuseUndeclared = async (
  db: Reader,
  engine: EngineName,
  { room, table }: DeclaredTable,
  recorded: readonly string[],
) => {
  const known = new Set(table.columns.map(({ field }) => recordOf(field)))
  const gone = recorded.filter((name) => isColumnRecord(name) && !known.has(name))
  if (gone.length === 0) return
  const present = await presentColumns(db, engine, table.name)
  for (const name of gone) {
    const field = name.slice(1)
    if (present.has(snake(field)))
      throw differs(room, `it has the field "${field}", which is not in the declaration`)
  }
}

interface Present {
  readonly type: string
  readonly mayBeNull: boolean
}

type Columns = ReadonlyMap<string, Present>

const presentColumns = async (db: Reader, engine: EngineName, table: string): Promise<Columns> => {
  const rows = await db.read(statement(columnsOf[engine], [table], []), toColumn)
  return new Map(rows)
}

const columnsOf = {
  sqlite: `SELECT name, lower(type) AS type, "notnull" = 0 AND pk = 0 AS may_be_null FROM pragma_table_info(?)`,
  postgres: `
    SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS may_be_null
    FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?`,
}

const toColumn = (row: Row): [string, Present] => [
  String(row.name),
  { type: String(row.type), mayBeNull: Boolean(row.may_be_null) },
]

type Column = Table<object>['columns'][number]

/** The missing columns, in declaration order. */
const plan = (declared: DeclaredTable, present: Columns, engine: EngineName): readonly Column[] => {
  const { room, table, added } = declared
  const own = table.columns.filter(({ field }) => added?.includes(field) ?? true)
  const missing = own.filter(({ name }) => !present.has(name))
  if (present.size === 0) return missing
  for (const { field, name, schema } of own) {
    const found = present.get(name)
    const type = typeOf(schema, engine)
    if (!found) {
      if (isNullable(schema) || startingOf(schema) !== undefined) continue
      throw differs(room, `it lacks the field "${field}", which is neither Nullable nor Starting`)
    }
    if (found.type !== type.toLowerCase().replace(/ collate .*/, ''))
      throw differs(room, `the column of "${field}" is ${found.type}, and the declaration says ${type}`)
    if (found.mayBeNull !== isNullable(schema)) {
      const [is, declaredAs] = found.mayBeNull ? ['nullable', 'not null'] : ['not null', 'nullable']
      throw differs(room, `the column of "${field}" is ${is}, and the declaration says ${declaredAs}`)
    }
  }
  return missing
}

const differs = (room: string, how: string) =>
  new DataUnusable(
    'otherSchema',
    `The table of ${room} differs from its declaration: ${how}. A start adds only fields that are Nullable or Starting. ` +
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
  const refers = reference ? ` REFERENCES ${quoted(reference.table)} (${quoted(reference.column)})` : ''
  const mayBeNull = isNullable(schema) ? '' : ' NOT NULL'
  return `${quoted(name)} ${typeOf(schema, engine)}${name === table.key ? ' PRIMARY KEY' : mayBeNull}${refers}`
}

const derivedType = { sqlite: 'TEXT', postgres: 'text COLLATE "C"' }

const creation = (declared: DeclaredTable, engine: EngineName) => {
  const { table, derivedFrom } = declared
  const ofField = (field: string | undefined) =>
    table.columns.find((column) => column.field === field)?.schema ?? {}
  const derived = table.derived.map(
    (name) =>
      `${quoted(name)} ${derivedType[engine]}${isNullable(ofField(derivedFrom[name])) ? '' : ' NOT NULL'}`,
  )
  const checksum = `checksum ${engine === 'sqlite' ? 'INTEGER' : 'bigint'} NOT NULL`
  const columns = [
    ...table.columns.map((column) => definitionOf(declared, column, engine)),
    ...derived,
    checksum,
  ]
  const options = engine === 'sqlite' ? ' STRICT, WITHOUT ROWID' : ''
  return `CREATE TABLE ${quoted(table.name)} (\n  ${columns.join(',\n  ')}\n)${options};`
}

/** Adds a column and its derived columns, with a value for the existing rows. */
const addition = (declared: DeclaredTable, column: Column, engine: EngineName) => {
  const { table, derivedFrom } = declared
  const starting = startingOf(column.schema)
  const add = (name: string, definition: string, value: unknown) => {
    const adding = `ALTER TABLE ${quoted(table.name)} ADD COLUMN ${definition}`
    if (value === undefined) return `${adding};`
    // Only existing rows need the default. SQLite cannot drop it.
    const asNew = `ALTER TABLE ${quoted(table.name)} ALTER COLUMN ${quoted(name)} DROP DEFAULT;`
    return `${adding} DEFAULT ${literal(value as Value)};${engine === 'postgres' ? asNew : ''}`
  }
  const derived = table.derived.filter((name) => derivedFrom[name] === column.field)
  return [
    add(column.name, definitionOf(declared, column, engine), starting),
    ...derived.map((name) => {
      const value = starting === undefined ? undefined : table.valueOf(name, { [column.field]: starting })
      return add(
        name,
        `${quoted(name)} ${derivedType[engine]}${value === undefined ? '' : ' NOT NULL'}`,
        value,
      )
    }),
  ].join('\n')
}

const literal = (value: Value) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

/** One index for each new column that is a reference or unique, or has a unique column derived from it. */
const indexes = ({ table, unique, derivedFrom }: DeclaredTable, made: ReadonlySet<string>) => {
  const isMade = (column: string) => made.has(column) || made.has(snake(derivedFrom[column] ?? ''))
  const index = (column: string, kind: string) =>
    `CREATE ${kind} ${quoted(`${table.name}_${column}`)} ON ${quoted(table.name)} (${quoted(column)});`
  return [
    ...Object.keys(unique)
      .filter(isMade)
      .map((column) => index(column, 'UNIQUE INDEX')),
    ...table.references
      .map(({ field }) => snake(field))
      .filter((column) => isMade(column) && !(column in unique))
      .map((column) => index(column, 'INDEX')),
  ].join('\n')
}

/** Extends valid checksums to the added columns. A wrong checksum stays wrong, so that `verify` still finds it. */
const renewChecksums = (tx: Transaction, table: Table<object>, added: readonly Column[]) => {
  const nothing = Object.fromEntries(added.map(({ field }) => [field, null]))
  const text = `UPDATE ${quoted(table.name)} SET checksum = ? WHERE ${quoted(table.key)} = ?`
  return eachRow(tx, { table, others: ['checksum'] }, async (row) => {
    const record = table.make(row)
    if (table.checksum({ ...record, ...nothing }) !== Number(row.checksum)) return
    const id = String(row[table.key])
    await tx.run(statement(text, [table.checksum(record), id], [id]))
  })
}

import type { Sortable } from '#core/page.ts'
import { type Fields, isNullable, type Schema, type ValueOf } from '#core/schema.ts'
import { checksum } from './checksum.ts'
import type { Row, RowMapper } from './database.ts'
import { type Query, statement, type Value } from './query.ts'

/** A record as stored: one value per field, the same on every engine. */
export type StoredOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

interface TableDefinition<F extends Fields> {
  readonly name: string
  /** One column per field: `firstName` is stored in `first_name`. */
  readonly fields: F
  /** The columns of fields that have another name. */
  readonly columns?: Readonly<Record<string, string>>
  /** The field that identifies and sorts the rows. */
  readonly key: keyof F & string
  /** Fields that an update never writes. */
  readonly immutable?: readonly (keyof F & string)[]
  /** Nullable fields that were added later, in this order. Older rows have null in them, so old checksums stay valid (decision 0023). */
  readonly addedLater?: readonly (keyof F & string)[]
  /**
   * Fields that the checksum covers by name instead of position, so that a field can be declared at any place (decision 0054).
   * By default the fields marked `Added`.
   */
  readonly checksummedByName?: readonly string[]
  /** For each reference field, the table and the key column that it refers to. */
  readonly refersTo?: Readonly<Record<string, { readonly table: string; readonly column: string }>>
  /** Columns computed from the fields, such as a folded name for search. The checksum does not cover them. */
  readonly derived?: Readonly<Record<string, (record: StoredOf<F>) => string | null>>
  /** Set if the rows have no checksum. */
  readonly hasNoChecksum?: true
}

export interface Column {
  readonly field: string
  /** The column name in the table and in rows. */
  readonly name: string
  readonly schema: Schema
}

interface Reference {
  readonly field: string
  readonly table: string
  readonly column: string
}

/** A table and its statements, derived from its definition. */
export interface Table<T extends object = Readonly<Record<string, Value>>> {
  readonly name: string
  readonly key: string
  /** In declaration order. */
  readonly columns: readonly Column[]
  /** The names of the derived columns. */
  readonly derived: readonly string[]
  readonly references: readonly Reference[]
  /** The fields that refer to a record of this table. */
  readonly selfReferences: readonly string[]
  readonly hasChecksum: boolean
  /** All columns, as written in a SELECT. */
  readonly selected: string
  toRecord(row: Row): T
  /** The values of the derived columns. */
  derive(record: T): readonly (string | null)[]
  valueOf(columnName: string, record: T): Value
  checksum(record: T): number
  /** Inserts nothing if a referenced record is missing. */
  insert(record: T): Query
  /** Updates the row with the key of the record. Callers may append conditions. Changes nothing if a referenced record is missing. */
  update(record: T): Query
  /** Selects the columns of these fields, by default all. In the rows, the prefix stands before the name of each column. */
  selection<K extends keyof T & string>(prefix: string, fields?: readonly K[]): Selected<Pick<T, K>>
  /** The sort column of each of these fields, by default of all. */
  sortable(fields?: readonly string[]): Readonly<Record<string, SortedBy>>
}

/** A column to sort by, and the value that replaces null. This value sorts before all others. */
export interface SortedBy {
  readonly column: string
  readonly nullAs: Sortable
}

interface Selected<T> {
  readonly selected: string
  readonly toRecord: RowMapper<T>
}

export const table = <F extends Fields>(definition: TableDefinition<F>): Table<StoredOf<F>> => {
  type T = StoredOf<F>
  const { name, fields, immutable = [], addedLater = [] } = definition
  const checksummedByName =
    definition.checksummedByName ?? Object.keys(fields).filter((field) => 'added' in (fields[field] ?? {}))
  const derived = Object.keys(definition.derived ?? {})
  const derive = (record: T) => Object.values(definition.derived ?? {}).map((one) => one(record))
  const columnOf = (field: string): Column => ({
    field,
    name: definition.columns?.[field] ?? toSnakeCase(field),
    schema: fields[field] ?? {},
  })
  const originalFields = Object.keys(fields).filter(
    (field) => !addedLater.includes(field) && !checksummedByName.includes(field),
  )
  const positionalColumns = [...originalFields, ...addedLater].map(columnOf)
  const namedColumns = checksummedByName.toSorted().map(columnOf)
  const columns = Object.keys(fields).map(columnOf)
  const hasChecksum = !definition.hasNoChecksum
  const key = toSnakeCase(definition.key)
  const mutableColumns = columns.filter(({ field }) => field !== definition.key && !immutable.includes(field))
  const namesOf = (stored: readonly Column[]) => [
    ...stored.map((column) => column.name),
    ...derived,
    ...(hasChecksum ? ['checksum'] : []),
  ]
  const checksumOf = (record: T) => {
    const values = positionalColumns.map(({ field }) => valueIn(record, field))
    for (const { field } of namedColumns) {
      const value = valueIn(record, field)
      if (value !== null) values.push(field, value)
    }
    return checksum(values)
  }
  const valuesOf = (stored: readonly Column[], record: T): Value[] => [
    ...stored.map(({ field }) => valueIn(record, field)),
    ...derive(record),
    ...(hasChecksum ? [checksumOf(record)] : []),
  ]
  const insertedNames = namesOf(columns)
  const references = Object.entries(definition.refersTo ?? {}).map(([field, to]) => ({ field, ...to }))
  const conditions = references.map((one) => {
    const exists = `EXISTS (SELECT 1 FROM ${quoted(one.table)} WHERE ${quoted(one.column)} = ?)`
    return isNullable(fields[one.field] ?? {}) ? `(${exists} OR CAST(? AS TEXT) IS NULL)` : exists
  })
  const conditionValuesOf = (record: T) =>
    references.flatMap(({ field }) => {
      const id = valueIn(record, field)
      return isNullable(fields[field] ?? {}) ? [id, id] : [id]
    })
  const insertInto = `INSERT INTO ${quoted(name)} (${insertedNames.map(quoted).join(', ')})`
  const placeholders = insertedNames.map(() => '?').join(', ')
  const insertText =
    conditions.length === 0
      ? `${insertInto} VALUES (${placeholders})`
      : `${insertInto} SELECT ${placeholders} WHERE ${conditions.join(' AND ')}`
  const updateText = `UPDATE ${quoted(name)} SET ${namesOf(mutableColumns)
    .map((one) => `${quoted(one)} = ?`)
    .join(', ')} WHERE ${[`${quoted(key)} = ?`, ...conditions].join(' AND ')}`
  const selectListOf = (stored: readonly Column[], prefix: string) =>
    stored
      .map(
        (column) =>
          `${quoted(name)}.${quoted(column.name)}${prefix === '' ? '' : ` AS ${prefix}${column.name}`}`,
      )
      .join(', ')

  return {
    name,
    key,
    columns,
    derived,
    derive,
    valueOf: (column, record) =>
      definition.derived?.[column]?.(record) ??
      valueIn(record, columns.find(({ name }) => name === column)?.field ?? ''),
    references,
    selfReferences: references.filter((one) => one.table === name).map(({ field }) => field),
    hasChecksum,
    selected: selectListOf(columns, ''),
    toRecord: compileMapper<T>(columns, ''),
    checksum: checksumOf,
    insert: (record) =>
      statement(
        insertText,
        [...valuesOf(columns, record), ...conditionValuesOf(record)],
        [String(record[definition.key])],
      ),
    update: (record) => {
      const id = String(record[definition.key])
      return statement(
        updateText,
        [...valuesOf(mutableColumns, record), id, ...conditionValuesOf(record)],
        [id],
      )
    },
    selection(prefix, chosenFields) {
      const isChosen = (field: string) => chosenFields?.some((one) => one === field) ?? true
      const chosen = columns.filter(({ field }) => isChosen(field))
      return { selected: selectListOf(chosen, prefix), toRecord: compileMapper(chosen, prefix) }
    },
    sortable: (sortFields = columns.map(({ field }) => field)) =>
      Object.fromEntries(
        sortFields.map(columnOf).map(({ field, name: column, schema }) => {
          const qualified = `${quoted(name)}.${quoted(column)}`
          const nullAs = smallestValueOf(schema)
          const value =
            'format' in schema && schema.format === 'uuid' ? `CAST(${qualified} AS text)` : qualified
          const withoutNull = `coalesce(${value}, ${typeof nullAs === 'string' ? "''" : nullAs})`
          return [field, { column: isNullable(schema) ? withoutNull : qualified, nullAs }]
        }),
      ),
  }
}

/** Quotes an SQL identifier, so that `order` and `group` can be names. */
export const quoted = (name: string) => `"${name}"`

/** The smallest value of this type. */
const smallestValueOf = (schema: Schema): Sortable => {
  if ('zone' in schema || schema.type?.includes('integer')) return Number.MIN_SAFE_INTEGER
  return schema.type?.includes('boolean') ? false : ''
}

/** For example `first_name` for `firstName`. */
export const toSnakeCase = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The value to store. A list is stored in one column, with a space between its words. */
const valueIn = (record: object, field: string): Value => {
  const value = (record as Readonly<Record<string, Value | readonly string[]>>)[field] ?? null
  return Array.isArray(value) ? value.join(' ') : (value as Value)
}

const conversions: Readonly<Record<string, (value: string) => string>> = {
  boolean: (value) => `Boolean(${value})`,
  array: (value) => `${value}.split(' ')`,
}

/**
 * Compiles a function that makes a record from a row, as Ajv compiles validators. A loop over the columns takes seven times as
 * long: 70 µs more for a list of 100. Converts numbers to booleans, because SQLite has no booleans.
 */
const compileMapper = <T>(columns: readonly Column[], prefix: string): RowMapper<T> => {
  const fields = columns.map(({ field, name, schema }) => {
    const value = `row.${prefix}${name}`
    const converted = conversions[[schema.type].flat()[0] ?? '']?.(value)
    return `${field}: ${converted ? `${value} === null ? null : ${converted}` : value}`
  })
  return new Function('row', `return { ${fields.join(', ')} }`) as RowMapper<T>
}

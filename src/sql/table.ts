import type { Sortable } from '#core/page.ts'
import { type Fields, isNullable, type Schema, type ValueOf } from '#core/schema.ts'
import { checksum } from './checksum.ts'
import type { Row, RowMapper } from './database.ts'
import { type Query, statement, type Value } from './query.ts'

/** A record as stored: one value per field, the same on every engine. */
export type StoredOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

interface TableParts<F extends Fields> {
  readonly name: string
  /** One column per field: `firstName` is stored in `first_name`. */
  readonly fields: F
  /** The columns of fields that have another name. */
  readonly columns?: Readonly<Record<string, string>>
  /** The field that identifies and sorts the rows. */
  readonly key: keyof F & string
  /** Fields that an update never writes. */
  readonly fixed?: readonly (keyof F & string)[]
  /** Nullable fields that were added later, in this order. They are null in older rows, so old checksums stay valid (decision 0023). */
  readonly addedLater?: readonly (keyof F & string)[]
  /**
   * Fields that the checksum covers by name instead of position, so that a field can be declared at any place (decision 0054).
   * By default the fields that a start adds.
   */
  readonly named?: readonly string[]
  /** The table and the key column that a field refers to. */
  readonly refersTo?: Readonly<Record<string, { readonly table: string; readonly column: string }>>
  /** Columns computed from the fields, such as a folded name for search. The checksum does not cover them. */
  readonly derived?: Readonly<Record<string, (record: StoredOf<F>) => string | null>>
  /** Set if the rows have no checksum. */
  readonly isUnchecked?: true
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

/** A table and its statements, derived from its fields. */
export interface Table<T extends object = Readonly<Record<string, Value>>> {
  readonly name: string
  readonly key: string
  /** In declaration order. */
  readonly columns: readonly Column[]
  /** The names of the derived columns. */
  readonly derived: readonly string[]
  readonly references: readonly Reference[]
  /** The fields that refer to a record of this table. */
  readonly ownReferences: readonly string[]
  readonly isChecked: boolean
  /** All columns, as written in a SELECT. */
  readonly selected: string
  make(row: Row): T
  /** The values of the derived columns. */
  derive(record: T): readonly (string | null)[]
  valueOf(columnName: string, record: T): Value
  checksum(record: T): number
  /** Inserts nothing if a record that it refers to is not there. */
  insert(record: T): Query
  /** Updates the row with this key. Callers may append conditions. Changes nothing if a referenced record is missing. */
  update(record: T): Query
  /** Selects some columns, by default all. Their names in rows begin with the prefix. */
  selection<K extends keyof T & string>(prefix: string, fields?: readonly K[]): Selected<Pick<T, K>>
  /** How to sort by each of these fields; by default all. */
  sortable(fields?: readonly string[]): Readonly<Record<string, SortedBy>>
}

/** A column to sort by, and the value that replaces null: it sorts before every other value. */
export interface SortedBy {
  readonly column: string
  readonly nothing: Sortable
}

interface Selected<T> {
  readonly selected: string
  readonly make: RowMapper<T>
}

export const table = <F extends Fields>(parts: TableParts<F>): Table<StoredOf<F>> => {
  type T = StoredOf<F>
  const { name, fields, fixed = [], addedLater = [] } = parts
  const named = parts.named ?? Object.keys(fields).filter((field) => 'added' in (fields[field] ?? {}))
  const derived = Object.keys(parts.derived ?? {})
  const derive = (record: T) => Object.values(parts.derived ?? {}).map((one) => one(record))
  const columnOf = (field: string): Column => ({
    field,
    name: parts.columns?.[field] ?? snake(field),
    schema: fields[field] ?? {},
  })
  const first = Object.keys(fields).filter((field) => !addedLater.includes(field) && !named.includes(field))
  const placed = [...first, ...addedLater].map(columnOf)
  const byName = named.toSorted().map(columnOf)
  const columns = Object.keys(fields).map(columnOf)
  const isChecked = !parts.isUnchecked
  const key = snake(parts.key)
  const changing = columns.filter(({ field }) => field !== parts.key && !fixed.includes(field))
  const namesOf = (stored: readonly Column[]) => [
    ...stored.map((column) => column.name),
    ...derived,
    ...(isChecked ? ['checksum'] : []),
  ]
  const sum = (record: T) => {
    const values = placed.map(({ field }) => valueIn(record, field))
    for (const { field } of byName) {
      const value = valueIn(record, field)
      if (value !== null) values.push(field, value)
    }
    return checksum(values)
  }
  const partsOf = (stored: readonly Column[], record: T): Value[] => [
    ...stored.map(({ field }) => valueIn(record, field)),
    ...derive(record),
    ...(isChecked ? [sum(record)] : []),
  ]
  const written = namesOf(columns)
  const references = Object.entries(parts.refersTo ?? {}).map(([field, to]) => ({ field, ...to }))
  const existing = references.map((one) => {
    const known = `EXISTS (SELECT 1 FROM ${quoted(one.table)} WHERE ${quoted(one.column)} = ?)`
    return isNullable(fields[one.field] ?? {}) ? `(${known} OR CAST(? AS TEXT) IS NULL)` : known
  })
  const referring = (record: T) =>
    references.flatMap(({ field }) => {
      const id = valueIn(record, field)
      return isNullable(fields[field] ?? {}) ? [id, id] : [id]
    })
  const inserting = `INSERT INTO ${quoted(name)} (${written.map(quoted).join(', ')})`
  const holders = written.map(() => '?').join(', ')
  const insertion =
    existing.length === 0
      ? `${inserting} VALUES (${holders})`
      : `${inserting} SELECT ${holders} WHERE ${existing.join(' AND ')}`
  const updating = `UPDATE ${quoted(name)} SET ${namesOf(changing)
    .map((one) => `${quoted(one)} = ?`)
    .join(', ')} WHERE ${[`${quoted(key)} = ?`, ...existing].join(' AND ')}`
  const selectedOf = (stored: readonly Column[], prefix: string) =>
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
      parts.derived?.[column]?.(record) ??
      valueIn(record, columns.find(({ name }) => name === column)?.field ?? ''),
    references,
    ownReferences: references.filter((one) => one.table === name).map(({ field }) => field),
    isChecked,
    selected: selectedOf(columns, ''),
    make: makeOf<T>(columns, ''),
    checksum: sum,
    insert: (record) =>
      statement(insertion, [...partsOf(columns, record), ...referring(record)], [String(record[parts.key])]),
    update: (record) => {
      const id = String(record[parts.key])
      return statement(updating, [...partsOf(changing, record), id, ...referring(record)], [id])
    },
    selection(prefix, some) {
      const chosen = some ? columns.filter(({ field }) => some.some((one) => one === field)) : columns
      return { selected: selectedOf(chosen, prefix), make: makeOf(chosen, prefix) }
    },
    sortable: (some = columns.map(({ field }) => field)) =>
      Object.fromEntries(
        some.map(columnOf).map(({ field, name: column, schema }) => {
          const full = `${quoted(name)}.${quoted(column)}`
          const nothing = nothingOf(schema)
          const value = 'format' in schema && schema.format === 'uuid' ? `CAST(${full} AS text)` : full
          const orNothing = `coalesce(${value}, ${typeof nothing === 'string' ? "''" : nothing})`
          return [field, { column: isNullable(schema) ? orNothing : full, nothing }]
        }),
      ),
  }
}

/** Quotes an SQL identifier, so that `order` and `group` can be names. */
export const quoted = (name: string) => `"${name}"`

/** The smallest value of this type. */
const nothingOf = (schema: Schema): Sortable => {
  if ('zone' in schema || schema.type?.includes('integer')) return Number.MIN_SAFE_INTEGER
  return schema.type?.includes('boolean') ? false : ''
}

/** The column name of a field. */
export const snake = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A list is stored in one column, with a space between its words. */
const valueIn = (record: object, field: string): Value => {
  const value = (record as Readonly<Record<string, Value | readonly string[]>>)[field] ?? null
  return Array.isArray(value) ? value.join(' ') : (value as Value)
}

const conversions: Readonly<Record<string, (value: string) => string>> = {
  boolean: (value) => `Boolean(${value})`,
  array: (value) => `${value}.split(' ')`,
}

/**
 * Compiles the function from the column names, as Ajv compiles validators. A loop over the names takes V8 seven times as long:
 * 70 µs more for a list of 100. SQLite has no booleans, so they are converted.
 */
const makeOf = <T>(columns: readonly Column[], prefix: string): RowMapper<T> => {
  const fields = columns.map(({ field, name, schema }) => {
    const value = `row.${prefix}${name}`
    const kept = conversions[[schema.type].flat()[0] ?? '']?.(value)
    return `${field}: ${kept ? `${value} === null ? null : ${kept}` : value}`
  })
  return new Function('row', `return { ${fields.join(', ')} }`) as RowMapper<T>
}

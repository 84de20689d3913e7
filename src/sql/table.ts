import { type Fields, isNullable, type Schema, type ValueOf } from '#core/schema.ts'
import { checksum } from './checksum.ts'
import type { Make, Row } from './database.ts'
import { type Query, statement, type Value } from './query.ts'

/** A record as stored: one value for each field, which is the same on every engine. */
export type StoredOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

interface TableParts<F extends Fields> {
  readonly name: string
  /** Every column, by the field that it holds: `firstName` is in `first_name`. */
  readonly fields: F
  /** The field that identifies and orders the rows. */
  readonly key: keyof F & string
  /** Fields that no change changes. */
  readonly fixed?: readonly (keyof F & string)[]
  /**
   * Fields whose columns were added to a table that had rows, in this order. They are nullable, and null in the rows from
   * before, whose checksums stay right (decision 0023).
   */
  readonly later?: readonly (keyof F & string)[]
  /** The table that a field refers to, whose key column has the same name. */
  readonly refersTo?: Readonly<Partial<Record<keyof F & string, string>>>
  /** Columns that follow from the fields, such as a folded name to search by. The checksum does not cover them. */
  readonly derived?: Readonly<Record<string, (record: StoredOf<F>) => string>>
  /** Whether its rows have no checksum. */
  readonly isUnchecked?: true
}

interface Column {
  readonly field: string
  /** Its name in the table, and in the rows that are read. */
  readonly name: string
  readonly schema: Schema
}

interface Reference {
  readonly field: string
  readonly table: string
  readonly column: string
}

/** A table, and the statements that follow from its fields. */
export interface Table<T extends object = Readonly<Record<string, Value>>> {
  readonly name: string
  readonly key: string
  /** In the order in which the checksum covers them. */
  readonly columns: readonly Column[]
  /** The names of the columns that follow from the others. */
  readonly derived: readonly string[]
  readonly references: readonly Reference[]
  readonly isChecked: boolean
  /** All columns, for a SELECT. */
  readonly selected: string
  make(row: Row): T
  /** The values of the derived columns. */
  derive(record: T): readonly string[]
  checksum(record: T): number
  /** Inserts nothing if a record that it refers to is not there. */
  insert(record: T): Query
  /** Updates the row with this key, to which further conditions may be added. */
  update(record: T): Query
  /** Some of the columns, by default all. In the rows their names begin with the prefix. */
  part<K extends keyof T & string>(prefix: string, fields?: readonly K[]): Part<Pick<T, K>>
  /** The columns to sort by, where null sorts as the empty text. */
  sortable(): Readonly<Record<string, string>>
}

interface Part<T> {
  readonly selected: string
  readonly make: Make<T>
}

export const table = <F extends Fields>(parts: TableParts<F>): Table<StoredOf<F>> => {
  type T = StoredOf<F>
  const { name, fields, fixed = [], later = [] } = parts
  const derived = Object.keys(parts.derived ?? {})
  const derive = (record: T) => Object.values(parts.derived ?? {}).map((one) => one(record))
  const columnOf = (field: string): Column => ({ field, name: snake(field), schema: fields[field] ?? {} })
  const first = Object.keys(fields).filter((field) => !later.includes(field))
  const columns = [...first, ...later].map(columnOf)
  const isChecked = !parts.isUnchecked
  const key = snake(parts.key)
  const changing = columns.filter(({ field }) => field !== parts.key && !fixed.includes(field))
  const namesOf = (stored: readonly Column[]) => [
    ...stored.map((column) => column.name),
    ...derived,
    ...(isChecked ? ['checksum'] : []),
  ]
  const sum = (record: T) => checksum(columns.map(({ field }) => valueIn(record, field)))
  const partsOf = (stored: readonly Column[], record: T): Value[] => [
    ...stored.map(({ field }) => valueIn(record, field)),
    ...derive(record),
    ...(isChecked ? [sum(record)] : []),
  ]
  const written = namesOf(columns)
  const references = Object.entries(parts.refersTo ?? {}).map(([field, referred]) => ({
    field,
    table: String(referred),
    column: snake(field),
  }))
  const inserting = `INSERT INTO ${name} (${written.join(', ')})`
  const holders = written.map(() => '?').join(', ')
  const existing = references.map((one) => `EXISTS (SELECT 1 FROM ${one.table} WHERE ${one.column} = ?)`)
  const insertion =
    existing.length === 0
      ? `${inserting} VALUES (${holders})`
      : `${inserting} SELECT ${holders} WHERE ${existing.join(' AND ')}`
  const updating = `UPDATE ${name} SET ${namesOf(changing)
    .map((one) => `${one} = ?`)
    .join(', ')} WHERE ${key} = ?`
  const selectedOf = (stored: readonly Column[], prefix: string) =>
    stored
      .map((column) => `${name}.${column.name}${prefix === '' ? '' : ` AS ${prefix}${column.name}`}`)
      .join(', ')

  return {
    name,
    key,
    columns,
    derived,
    derive,
    references,
    isChecked,
    selected: selectedOf(columns, ''),
    make: makeOf<T>(columns, ''),
    checksum: sum,
    insert: (record) =>
      statement(
        insertion,
        [...partsOf(columns, record), ...references.map(({ field }) => valueIn(record, field))],
        [String(record[parts.key])],
      ),
    update: (record) => {
      const id = String(record[parts.key])
      return statement(updating, [...partsOf(changing, record), id], [id])
    },
    part(prefix, some) {
      const chosen = some ? columns.filter(({ field }) => some.some((one) => one === field)) : columns
      return { selected: selectedOf(chosen, prefix), make: makeOf(chosen, prefix) }
    },
    sortable: () =>
      Object.fromEntries(
        columns.map(({ field, name: column, schema }) => {
          const full = `${name}.${column}`
          return [field, isNullable(schema) ? `coalesce(${full}, '')` : full]
        }),
      ),
  }
}

const snake = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The words of a list stand in one column. */
const valueIn = (record: object, field: string): Value => {
  const value = (record as Readonly<Record<string, Value | readonly string[]>>)[field] ?? null
  return Array.isArray(value) ? value.join(' ') : (value as Value)
}

const conversions: Readonly<Record<string, (value: string) => string>> = {
  boolean: (value) => `Boolean(${value})`,
  array: (value) => `${value}.split(' ')`,
}

/**
 * The function is compiled from the names of the columns, as Ajv compiles those that validate: a loop over names that it
 * does not know when compiled takes V8 seven times as long, 70 µs more for a list of 100. SQLite has no booleans.
 */
const makeOf = <T>(columns: readonly Column[], prefix: string): Make<T> => {
  const fields = columns.map(({ field, name, schema }) => {
    const value = `row.${prefix}${name}`
    const kept = conversions[[schema.type].flat()[0] ?? '']?.(value)
    return `${field}: ${kept ? `${value} === null ? null : ${kept}` : value}`
  })
  return new Function('row', `return { ${fields.join(', ')} }`) as Make<T>
}

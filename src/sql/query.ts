export type Value = string | number | boolean | null | Uint8Array

/** A parameter that is the key of a record that the statement reads or writes. */
export class Key {
  readonly value: string
  constructor(value: string) {
    this.value = value
  }
}

/** Marks a parameter as the key of a record. SQLite caches the result of a query whose only parameter is a key, until a write with the same key. */
export const key = (value: string) => new Key(value)

/** A statement and its parameters. Queries with the same `text` share one prepared statement. */
export interface Query {
  readonly text: string
  readonly values: readonly Value[]
  /** The keys of the records that the statement reads or writes. If there are none, it may read or write any record. */
  readonly keys: readonly string[]
  /** Set for a query that finds one record by its key. An engine may combine several such queries into one statement. */
  readonly lookup?: Lookup
}

export interface LookupSource {
  /** `SELECT` and the columns, including the key column. */
  readonly select: string
  readonly from: string
  /** The unique key column. */
  readonly key: string
}

export interface Lookup {
  readonly source: LookupSource
  readonly key: string
}

export type TemplateValue = Value | Key | Query

/** Builds a query from a template with parameters, keys and nested queries. A string is always a parameter, never SQL. */
export const sql = (strings: TemplateStringsArray, ...parts: readonly TemplateValue[]): Query => {
  let text = strings[0] ?? ''
  const values: Value[] = []
  const keys: string[] = []
  parts.forEach((part, at) => {
    text += (isQuery(part) ? part.text : '?') + (strings[at + 1] ?? '')
    if (isQuery(part)) {
      values.push(...part.values)
      keys.push(...part.keys)
    } else {
      values.push(toValue(part))
      if (part instanceof Key) keys.push(part.value)
    }
  })
  return { text, values, keys }
}

/** A query with this text, in which each `?` stands for a parameter. `keys` as in `Query`. */
export const statement = (text: string, values: readonly Value[], keys: readonly string[]): Query => ({
  text,
  values: values.map(toValue),
  keys,
})

/** Returns a function that builds the query for one key. */
export const lookup = (source: LookupSource) => {
  const text = `${source.select} FROM ${source.from} WHERE ${source.key} = ?`
  return (key: string): Query => ({ text, values: [toValue(key)], keys: [key], lookup: { source, key } })
}

/** SQL text from the source code, such as a column to sort by. Never pass text from a request. */
export const raw = (text: string): Query => ({ text, values: [], keys: [] })

/** A condition that a column contains this text. `%` and `_` have no special meaning. */
export const containing = (column: string, text: string) =>
  sql`${raw(column)} LIKE ${`%${escapeLike(text)}%`} ESCAPE '!'`

/** Escapes a text for LIKE with `ESCAPE '!'`. */
export const escapeLike = (text: string) => text.replace(/[!%_]/g, '!$&')

export const join = (queries: readonly Query[], separator: string): Query => ({
  text: queries.map((query) => query.text).join(separator),
  values: queries.flatMap((query) => query.values),
  keys: queries.flatMap((query) => query.keys),
})

export const empty = raw('')

const isQuery = (part: TemplateValue): part is Query =>
  typeof part === 'object' && part !== null && 'text' in part

/** Refuses values that the types forbid but a cast lets through: SQLite would store NULL. */
const toValue = (part: Value | Key): Value => {
  const value = part instanceof Key ? part.value : part
  if (!isValue(value)) throw new TypeError('a parameter of a statement is not a value')
  return value
}

const isValue = (value: unknown): value is Value =>
  value === null || valueTypes.includes(typeof value) || value instanceof Uint8Array

const valueTypes = ['string', 'number', 'boolean']

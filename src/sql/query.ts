import { onceFor } from '#core/once.ts'

export type Value = string | number | boolean | null | Uint8Array

/** A parameter that is the key of the record which the statement reads or writes. */
export class Key {
  readonly value: string
  constructor(value: string) {
    this.value = value
  }
}

/** Marks a record's key. A result found by a key alone is cached until a write names that key. */
export const key = (value: string) => new Key(value)

/** A statement and its parameters. Queries with the same `text` share one prepared statement. */
export interface Query {
  readonly text: string
  readonly values: readonly Value[]
  /** The keys of the records that it reads or writes. If empty, it may affect any record. */
  readonly keys: readonly string[]
  /** Set for a query that finds one record by its key: an engine may combine several into one statement. */
  readonly lookup?: Lookup
}

/** Where a lookup finds records by their keys. */
export interface LookupSource {
  /** `SELECT` with its columns, including the key's. */
  readonly select: string
  readonly from: string
  /** The unique key column. */
  readonly key: string
}

export interface Lookup {
  readonly source: LookupSource
  readonly key: string
}

export type Part = Value | Key | Query

/** Builds a query from parameters, keys and nested queries, never from text. */
export const sql = (strings: TemplateStringsArray, ...parts: readonly Part[]): Query => {
  if (parts.every(isPlain)) return { text: plainText(strings), values: parts.map(plain), keys: keysOf(parts) }
  return nested(strings, parts)
}

/** A query with this text, which writes each parameter as `?`. */
export const statement = (text: string, values: readonly Value[], keys: readonly string[]): Query => ({
  text,
  values: values.map(plain),
  keys,
})

/** Returns a function that builds the query for one key. */
export const lookup = (source: LookupSource) => {
  const text = `${source.select} FROM ${source.from} WHERE ${source.key} = ?`
  return (key: string): Query => ({ text, values: [plain(key)], keys: [key], lookup: { source, key } })
}

/** SQL text from the source code, such as a column to sort by. Never pass text from a request. */
export const raw = (text: string): Query => ({ text, values: [], keys: [] })

/** A condition that a column contains this text. `%` and `_` have no special meaning. */
export const containing = (column: string, text: string) =>
  sql`${raw(column)} LIKE ${`%${literal(text)}%`} ESCAPE '!'`

/** Escapes a text for LIKE with `ESCAPE '!'`. */
export const literal = (text: string) => text.replace(/[!%_]/g, '!$&')

export const join = (queries: readonly Query[], separator: string): Query => ({
  text: queries.map((query) => query.text).join(separator),
  values: queries.flatMap((query) => query.values),
  keys: queries.flatMap((query) => query.keys),
})

export const empty = raw('')

const isQuery = (part: Part): part is Query => typeof part === 'object' && part !== null && 'text' in part

const isPlain = (part: Part) => !isQuery(part)

/** Refuses values that only a cast makes possible: SQLite would store NULL, and PostgreSQL would fail other statements. */
const plain = (part: Part): Value => {
  const value = part instanceof Key ? part.value : part
  if (!isValue(value)) throw new TypeError('a parameter of a statement is not a value')
  return value
}

const isValue = (value: unknown): value is Value =>
  value === null || valueTypes.includes(typeof value) || value instanceof Uint8Array

const valueTypes = ['string', 'number', 'boolean']

const noKeys: readonly string[] = []

const keysOf = (parts: readonly Part[]) => {
  let keys = noKeys
  for (const part of parts) {
    if (part instanceof Key) keys = keys.length === 0 ? [part.value] : [...keys, part.value]
    else if (isQuery(part) && part.keys.length > 0) keys = [...keys, ...part.keys]
  }
  return keys
}

/** Every evaluation of one template passes the same array, so its text is built once. */
const plainText = onceFor((strings: TemplateStringsArray) => strings.join('?'))

const nested = (strings: TemplateStringsArray, parts: readonly Part[]): Query => {
  let text = strings[0] ?? ''
  const values: Value[] = []
  parts.forEach((part, index) => {
    text += isQuery(part) ? part.text : '?'
    if (isQuery(part)) values.push(...part.values)
    else values.push(plain(part))
    text += strings[index + 1] ?? ''
  })
  return { text, values, keys: keysOf(parts) }
}

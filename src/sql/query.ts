import { onceFor } from '#core/once.ts'

export type Value = string | number | boolean | null | Uint8Array

/** A parameter that is the key of the one record a statement is about. */
export class Key {
  readonly value: string
  constructor(value: string) {
    this.value = value
  }
}

/** Marks the key of a record: a result found by a key alone is cached until a write names that key. */
export const key = (value: string) => new Key(value)

/** A statement and its parameters. Queries with the same `text` share one prepared statement. */
export interface Query {
  readonly text: string
  readonly values: readonly Value[]
  /** The records it is about. If empty, it may be about any. */
  readonly keys: readonly string[]
  /** What it finds, if that is one record by its key: an engine may then find several with one statement. */
  readonly lookup?: Lookup
}

/** Records that are found by their keys. */
export interface Records {
  /** The columns, among them the key's. */
  readonly select: string
  readonly from: string
  /** The column of the key, which is unique. */
  readonly key: string
}

export interface Lookup {
  readonly records: Records
  readonly key: string
}

export type Part = Value | Key | Query

/** Builds a query. The parts are parameters, keys or nested queries, never text. */
export const sql = (strings: TemplateStringsArray, ...parts: readonly Part[]): Query => {
  if (parts.every(isPlain)) return { text: plainText(strings), values: parts.map(plain), keys: keysOf(parts) }
  return nested(strings, parts)
}

/** A query of this text, whose parameters are written as `?`. */
export const statement = (text: string, values: readonly Value[], keys: readonly string[]): Query => ({
  text,
  values: values.map(plain),
  keys,
})

/** Builds the query that finds one of the records by its key. */
export const lookup = (records: Records) => {
  const text = `${records.select} FROM ${records.from} WHERE ${records.key} = ?`
  return (key: string): Query => ({ text, values: [plain(key)], keys: [key], lookup: { records, key } })
}

/** Literal SQL from the source code, such as a column to sort by. Never text from a request. */
export const raw = (text: string): Query => ({ text, values: [], keys: [] })

/** Whether a column contains this text, whatever characters it has. */
export const containing = (column: string, text: string) =>
  sql`${raw(column)} LIKE ${`%${literal(text)}%`} ESCAPE '!'`

/** A text as a pattern for LIKE that escapes with `!`. */
export const literal = (text: string) => text.replace(/[!%_]/g, '!$&')

export const join = (queries: readonly Query[], separator: string): Query => ({
  text: queries.map((query) => query.text).join(separator),
  values: queries.flatMap((query) => query.values),
  keys: queries.flatMap((query) => query.keys),
})

export const empty = raw('')

const isQuery = (part: Part): part is Query => typeof part === 'object' && part !== null && 'text' in part

const isPlain = (part: Part) => !isQuery(part)

/** Something that is not a value, despite its type, would be NULL on one engine and fail other statements on the other. */
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

/** The template's array identifies the statement, so its text is built once. */
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

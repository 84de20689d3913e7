import { memoize } from '#core/memoize.ts'
import { memoizeByObject } from '#core/once.ts'
import { type Cache, cache } from '#sql/cache.ts'
import type { Row, RowMapper } from '#sql/database.ts'
import { deepFreeze } from '#sql/deep-freeze.ts'
import type { Value } from '#sql/query.ts'
import { textAt } from './incoming.ts'

type ReadValue = (bytes: Buffer, from: number, to: number) => Value

interface Column {
  readonly name: string
  readonly read: ReadValue
}

export interface Columns {
  readonly columns: readonly Column[]
  /** For each `mapRow` function, a cache of its results by the bytes of the row. */
  readonly cacheFor: (mapRow: RowMapper<unknown>) => Cache<string, unknown>
}

export const columnsAt = (bytes: Buffer, from: number): Columns => {
  const descriptions: [string, number][] = []
  let at = from + 2
  for (let count = bytes.readInt16BE(from); count > 0; count--) {
    const [name, next] = textAt(bytes, at)
    descriptions.push([name, bytes.readInt32BE(next + 6)])
    at = next + 18
  }
  return sharedColumns(JSON.stringify(descriptions))
}

/** Statements of all connections share one object for equal columns. */
const sharedColumns = memoize((key) => columnsOf(JSON.parse(key)), {
  maxEntries: 1_000,
  maxKeyLength: 65_536,
})

const columnsOf = (descriptions: readonly (readonly [string, number])[]): Columns => ({
  columns: descriptions.map(([name, type]) => ({ name, read: readers[type] ?? readText })),
  cacheFor: memoizeByObject((_: RowMapper<unknown>) => mappedRowCache()),
})

/** Reads the row whose message body begins at `from`. */
export const rowAt = ({ columns }: Columns, bytes: Buffer, from: number): Row => {
  const row: Record<string, Value> = {}
  let at = from + 2
  for (const { name, read } of columns) {
    const size = bytes.readInt32BE(at)
    at += 4
    row[name] = size < 0 ? null : read(bytes, at, at + size)
    if (size > 0) at += size
  }
  return row
}

/** Maps the row in this range. Equal bytes yield the same frozen object, so callers can cache the object's serialised text, too. */
export const mappedRowAt = <T>(
  columns: Columns,
  mapRow: RowMapper<T>,
  [bytes, from, to]: [Buffer, number, number],
): T => {
  if (to - from > maxCachedRowBytes) return mapOrThrow(mapRow, rowAt(columns, bytes, from))
  const mappedRows = columns.cacheFor(mapRow)
  const key = bytes.toString('latin1', from, to)
  const cached = mappedRows.get(key)
  if (cached !== undefined) return cached as T
  const mapped = deepFreeze(mapOrThrow(mapRow, rowAt(columns, bytes, from)))
  mappedRows.set(key, mapped, key.length)
  return mapped
}

const mapOrThrow = <T>(mapRow: RowMapper<T>, row: Row): T => {
  try {
    return mapRow(row)
  } catch (error) {
    throw new RowMappingError(error)
  }
}

/** `mapRow` failed on a well-formed row. */
export class RowMappingError extends Error {
  constructor(cause: unknown) {
    super('a row could not be read', { cause })
  }
}

const maxCachedRowBytes = 4_096

/** The weight of a row is the number of its bytes. */
const mappedRowCache = () => cache<string, unknown>({ maxWeight: 500_000, weightOf: (_, key) => key.length })

const readText: ReadValue = (bytes, from, to) => bytes.toString('utf8', from, to)
const readNumber: ReadValue = (bytes, from, to) => Number(bytes.toString('latin1', from, to))
const readFlag: ReadValue = (bytes, from) => bytes[from] === 0x74
/** Hexadecimal digits after `\x`. */
const readBytes: ReadValue = (bytes, from, to) => Buffer.from(bytes.toString('latin1', from + 2, to), 'hex')

/** Readers by the object id of the type. Values of other types are read as text. */
const readers: Readonly<Record<number, ReadValue>> = {
  16: readFlag,
  17: readBytes,
  20: readNumber,
  21: readNumber,
  23: readNumber,
  26: readNumber,
  700: readNumber,
  701: readNumber,
}

export const noColumns: Columns = columnsOf([])

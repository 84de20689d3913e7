import { memoize } from '#core/memoize.ts'
import { memoizeByObject } from '#core/once.ts'
import { type Cache, cache } from '#sql/cache.ts'
import type { Row, RowMapper } from '#sql/database.ts'
import { frozen } from '#sql/frozen.ts'
import type { Value } from '#sql/query.ts'
import { textAt } from './incoming.ts'

type ReadValue = (bytes: Buffer, from: number, to: number) => Value

interface Column {
  readonly name: string
  readonly read: ReadValue
}

export interface Columns {
  readonly columns: readonly Column[]
  /** A cache per `mapRow` function, with the objects made from rows, by the bytes of the row. */
  readonly made: (mapRow: RowMapper<unknown>) => Cache<string, unknown>
}

export const columnsAt = (bytes: Buffer, from: number): Columns => {
  const described: [string, number][] = []
  let at = from + 2
  for (let count = bytes.readInt16BE(from); count > 0; count--) {
    const [name, next] = textAt(bytes, at)
    described.push([name, bytes.readInt32BE(next + 6)])
    at = next + 18
  }
  return sharedColumns(JSON.stringify(described))
}

/** Equal columns of all statements and connections share one object. */
const sharedColumns = memoize((key) => columnsOf(JSON.parse(key)), {
  maxEntries: 1_000,
  maxKeyLength: 65_536,
})

const columnsOf = (described: readonly (readonly [string, number])[]): Columns => ({
  columns: described.map(([name, type]) => ({ name, read: readers[type] ?? readText })),
  made: memoizeByObject((_: RowMapper<unknown>) => madeCache()),
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

/** The object that `mapRow` makes from a row. Equal bytes yield the same frozen object, so its serialised text can be cached, too. */
export const objectAt = <T>(
  columns: Columns,
  mapRow: RowMapper<T>,
  [bytes, from, to]: [Buffer, number, number],
): T => {
  if (to - from > maxCachedRowBytes) return madeOf(mapRow, rowAt(columns, bytes, from))
  const known = columns.made(mapRow)
  const key = bytes.toString('latin1', from, to)
  const found = known.get(key)
  if (found !== undefined) return found as T
  const made = frozen(madeOf(mapRow, rowAt(columns, bytes, from)))
  known.set(key, made, key.length)
  return made
}

const madeOf = <T>(mapRow: RowMapper<T>, row: Row): T => {
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

/** Weights count the characters of the rows. */
const madeCache = () => cache<string, unknown>({ maxWeight: 500_000, weightOf: (_, key) => key.length })

const readText: ReadValue = (bytes, from, to) => bytes.toString('utf8', from, to)
const readNumber: ReadValue = (bytes, from, to) => Number(bytes.toString('latin1', from, to))
const readFlag: ReadValue = (bytes, from) => bytes[from] === 0x74
/** Hexadecimal digits after `\x`. */
const readBytes: ReadValue = (bytes, from, to) => Buffer.from(bytes.toString('latin1', from + 2, to), 'hex')

/** By the type's object id; every other type is read as text. */
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

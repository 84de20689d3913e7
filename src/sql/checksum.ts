import { crc32 } from 'node:zlib'
import type { Value } from './query.ts'

/**
 * The checksum of a row's values in column order, up to the last that is not null: so a row keeps its checksum when a
 * column is added after its others. It reveals a bit that changed after it was written. It is written in the same
 * statement as the values, and is the same on every engine.
 */
export const checksum = (values: readonly Value[]): number => {
  const last = values.findLastIndex((value) => value !== null)
  return crc32(JSON.stringify(values.slice(0, last + 1).map(plain)))
}

/** SQLite has no booleans. */
const plain = (value: Value) => (typeof value === 'boolean' ? Number(value) : value)

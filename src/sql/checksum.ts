import { crc32 } from 'node:zlib'
import type { Value } from './query.ts'

/**
 * The checksum of a row reveals a bit that changed after the write. It covers the values in column order, up to the last
 * non-null value, so a column added at the end leaves it valid. The statement that writes the values writes it, too. It is
 * the same on every engine.
 */
export const checksum = (values: readonly Value[]): number => {
  const last = values.findLastIndex((value) => value !== null)
  return crc32(JSON.stringify(values.slice(0, last + 1).map(numberIfBoolean)))
}

/** SQLite has no booleans. */
const numberIfBoolean = (value: Value) => (typeof value === 'boolean' ? Number(value) : value)

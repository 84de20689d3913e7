import { crc32 } from 'node:zlib'
import type { Value } from './query.ts'

/**
 * The checksum of a row reveals a bit that changed after the write. It covers the values in column order up to the last
 * non-null value, so it stays valid when a column is added at the end. The statement that writes a row also writes its
 * checksum. All engines compute the same checksum.
 */
export const checksum = (values: readonly Value[]): number => {
  const last = values.findLastIndex((value) => value !== null)
  return crc32(JSON.stringify(values.slice(0, last + 1).map(numberIfBoolean)))
}

/** SQLite stores booleans as numbers. */
const numberIfBoolean = (value: Value) => (typeof value === 'boolean' ? Number(value) : value)

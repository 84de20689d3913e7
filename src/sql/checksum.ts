import { crc32 } from 'node:zlib'
import type { Value } from './query.ts'

/**
 * The checksum of a row's values in column order, which reveals a bit that changed after it was written. It is written
 * in the same statement as the values, and is the same on every engine.
 */
export const checksum = (values: readonly Value[]): number => crc32(JSON.stringify(values.map(plain)))

/** SQLite has no booleans. */
const plain = (value: Value) => (typeof value === 'boolean' ? Number(value) : value)

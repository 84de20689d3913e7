import { crc32 } from 'node:zlib'
import type { Value } from './query.ts'

/**
 * Tells of a row, by its values in the order of its columns, whether a bit of it is no longer as it was written. It is
 * written by the statement that writes them, and the same on every engine.
 */
export const checksum = (values: readonly Value[]): number => crc32(JSON.stringify(values.map(plain)))

/** SQLite has no booleans. */
const plain = (value: Value) => (typeof value === 'boolean' ? Number(value) : value)

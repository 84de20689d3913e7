import { hash } from 'node:crypto'
import type { Transaction } from './database.ts'
import type { Query, Value } from './query.ts'

/**
 * A table of entries that get their numbers when their transaction commits: dense, and in the order of the commits. Each holds
 * the hash of the one before as `previous`.
 */
export interface Log {
  readonly table: string
  /** What an entry gives, with the types of PostgreSQL. The first names it. */
  readonly columns: Readonly<Record<string, 'text' | 'integer' | 'bigint'>>
  /** What the hash covers, after `previous` and `number`. */
  readonly hashed: readonly string[]
  /** The topic whose listeners are told that something was entered, not what. */
  readonly topic: string
}

/** The values are in the order of the columns. */
export interface Entry {
  readonly log: Log
  /** They may change until the end of the transaction. */
  readonly values: readonly Value[]
  /** Known once it is committed. */
  number?: number
}

/** The hash of an entry, of all that it covers in order. */
export const chainHash = (covered: readonly unknown[]) => hash('sha256', covered.join('\n'))

/** Runs the statement, and enters the entry if it changed a row. Returns how many it changed. */
export const runLogged = async (tx: Transaction, query: Query, entry: Entry | undefined) => {
  const changed = await tx.run(query)
  if (changed > 0 && entry) await tx.enter(entry)
  return changed
}

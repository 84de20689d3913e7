import { hash } from 'node:crypto'
import type { Transaction } from './database.ts'
import type { Query, Value } from './query.ts'

/**
 * A table of entries, which are numbered at commit, in commit order and without gaps. The column `previous` holds the hash of
 * the preceding entry.
 */
export interface LogTable {
  readonly table: string
  /** The columns of an entry, with their PostgreSQL types. The first column is its id. */
  readonly columns: Readonly<Record<string, 'text' | 'integer' | 'bigint'>>
  /** The columns that the hash covers, after `previous` and `number`. */
  readonly hashedColumns: readonly string[]
  /** Listeners of this topic learn that entries were appended, but not which. */
  readonly topic: string
}

/** A row of a log table. */
export interface LogEntry {
  readonly log: LogTable
  /** In column order. An erasure may still remove values before the transaction ends. */
  readonly values: readonly Value[]
  /** Set at commit. */
  number?: number
}

/** The hash of an entry, from `previous`, `number` and the values of its hashed columns. */
export const chainHash = (hashedValues: readonly unknown[]) => hash('sha256', hashedValues.join('\n'))

/** Runs the statement and appends the entry if a row changed. Returns the number of changed rows. */
export const runLogged = async (tx: Transaction, query: Query, entry: LogEntry | undefined) => {
  const changed = await tx.run(query)
  if (changed > 0 && entry) await tx.append(entry)
  return changed
}

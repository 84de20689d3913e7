import { hash } from 'node:crypto'
import type { Transaction } from './database.ts'
import type { Query, Value } from './query.ts'

/**
 * A table of entries. They are numbered at commit, in commit order and without gaps. Each entry holds the hash of its
 * predecessor as `previous`.
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

/** Values in column order. */
export interface LogEntry {
  readonly log: LogTable
  /** May still change until the transaction ends. */
  readonly values: readonly Value[]
  /** Set at commit. */
  number?: number
}

/** The hash of an entry over its covered values, in order. */
export const chainHash = (covered: readonly unknown[]) => hash('sha256', covered.join('\n'))

/** Runs the statement and appends the entry if a row changed. Returns the number of changed rows. */
export const runLogged = async (tx: Transaction, query: Query, entry: LogEntry | undefined) => {
  const changed = await tx.run(query)
  if (changed > 0 && entry) await tx.append(entry)
  return changed
}

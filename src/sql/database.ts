import type { Query, Value } from './query.ts'

export type Row = Readonly<Record<string, Value>>

/** Makes of a row what the room works with. Given once per statement, so what it made may be remembered. */
export type Make<T> = (row: Row) => T

export interface Database {
  readonly engine: 'sqlite' | 'postgres'

  /** The rows of one committed state. For queries that an index answers with few rows: they may run on this thread. */
  read<T>(query: Query, make: Make<T>): Promise<readonly T[]>

  /** As read, for a query that may look at every row: it makes no other request wait. */
  scan<T>(query: Query, make: Make<T>): Promise<readonly T[]>

  /** Many rows in batches out of one snapshot; makes no other request wait, and waits for a slow reader. */
  stream<T>(query: Query, make: Make<T>): AsyncIterable<readonly T[]>

  /** All or nothing; resolves when it is durable, never before. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>

  /**
   * One transaction for all that `work` writes through this database, in whatever room. It is committed when
   * `work` ends and rolled back when it throws. What `work` wrote is seen by nobody before.
   */
  unit<T>(work: (unit: Unit) => Promise<T>): Promise<T>

  /** A word that differs whenever the committed state differs. It costs no scan. */
  state(): Promise<string>

  /** Rejects when the database cannot answer a read now. */
  ping(): Promise<void>

  close(): Promise<void>
}

export interface Transaction {
  read<T>(query: Query, make: Make<T>): Promise<readonly T[]>

  /** How many rows it changed. */
  run(query: Query): Promise<number>
}

export interface Unit {
  /** Runs in the transaction of the first write of the unit, before it. */
  before(work: (tx: Transaction) => Promise<void>): void

  /** Runs in the unit's transaction, last; opens one if nothing was written. */
  last(work: (tx: Transaction) => Promise<void>): void
}

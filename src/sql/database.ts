import type { Query, Value } from './query.ts'

export type Row = Readonly<Record<string, Value>>

/** Makes of a row what the room works with. The same function every time, or what it made is not remembered. */
export type Make<T> = (row: Row) => T

/** The answer of a `find` that needs no question, such as for what is no id. */
export const nothing = Promise.resolve(undefined)

export interface Database {
  readonly engine: 'sqlite' | 'postgres'

  /** The first row, as `read` reads it. */
  find<T>(query: Query, make: Make<T>): Promise<T | undefined>

  /**
   * The rows of one committed state, or of the unit that asks. For queries that an index answers with few rows:
   * they may run on this thread. What was made may be given to others too, so it cannot be changed.
   */
  read<T>(query: Query, make: Make<T>): Promise<readonly T[]>

  /** As read, for a query that may look at every row: it makes no other request wait. */
  scan<T>(query: Query, make: Make<T>): Promise<readonly T[]>

  /** Many rows in batches out of one committed snapshot; makes no other request wait, and waits for a slow reader. */
  stream<T>(query: Query, make: Make<T>): AsyncIterable<readonly T[]>

  /** All or nothing; resolves when it is durable, never before. The work may run again when others interfered. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>

  /** One statement as a transaction of its own, and how many rows it changed. */
  run(query: Query): Promise<number>

  /**
   * One transaction for all that `work` writes through this database, in whatever room. It is committed when
   * `work` ends and rolled back when it throws. What `work` wrote is seen by nobody else before. It may run again, the
   * whole of it, when others interfered: what it does besides must come after it.
   */
  unit<T>(work: (unit: Unit) => Promise<T>): Promise<T>

  /** Hears what transactions publish on this topic, in any process on the same database, after their commit. */
  listen(topic: string, listener: Listener): Promise<StopListening>

  /** A word that differs whenever the committed state differs. It costs no scan. */
  state(): Promise<string>

  /** Rejects when the database cannot answer a read now. */
  ping(): Promise<void>

  close(): Promise<void>
}

/** A statement that fails fails the write, also where the work goes on. */
export interface Transaction {
  /** Others may commit between this and a later statement: that one must say what it relies on, as in `AND version = ?`. */
  read<T>(query: Query, make: Make<T>): Promise<readonly T[]>

  /** How many rows it changed. */
  run(query: Query): Promise<number>

  /** Said to all listeners if it is committed. At most 4,000 bytes. */
  publish(topic: string, payload: string): Promise<void>
}

export interface Unit {
  /** Runs in the transaction of the first write of the unit, before it. */
  before(work: (tx: Transaction) => Promise<void>): void

  /** Runs in the unit's transaction, last; opens one if nothing was written. */
  last(work: (tx: Transaction) => Promise<void>): void
}

export interface Listener {
  heard(payload: string): void

  /** Something may have been said that was not heard. */
  missed(): void
}

export type StopListening = () => Promise<void>

import type { LogEntry } from './log-table.ts'
import type { Query, Value } from './query.ts'

/** A write publishes this topic if its deleted data must also disappear from the database files. */
export const erasureTopic = 'erasure'

export type Row = Readonly<Record<string, Value>>

/** Turns a row into a value. Pass the same function every time, because results are cached per function. */
export type RowMapper<T> = (row: Row) => T

/** The result of a `find` that needs no query, for example because the given text is not an id. */
export const noResult = Promise.resolve(undefined)

export interface Database {
  readonly engine: 'sqlite' | 'postgres'

  /** As `read`, but only the first row. Several `lookup` queries may share one statement. */
  find<T>(query: Query, mapRow: RowMapper<T>): Promise<T | undefined>

  /**
   * Reads rows from one committed state, or from the transaction of the unit in which it is called. Only for queries that return
   * few rows by an index, because they may run on this thread. Results are frozen, because several callers may share them.
   */
  read<T>(query: Query, mapRow: RowMapper<T>): Promise<readonly T[]>

  /** As `read`, for a query that may look at every row. Other requests do not wait for it. */
  scan<T>(query: Query, mapRow: RowMapper<T>): Promise<readonly T[]>

  /** Streams many rows in batches from one committed snapshot. The stream waits for a slow reader; other requests do not wait for the stream. */
  stream<T>(query: Query, mapRow: RowMapper<T>): AsyncIterable<readonly T[]>

  /** Runs `work` in one transaction. Resolves once the transaction is durable. If another transaction interfered, `work` runs again. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>

  /** Runs one statement in a transaction, and appends the entry if a row changed. Returns the number of changed rows. */
  run(query: Query, entry?: LogEntry): Promise<number>

  /**
   * Puts everything that `work` writes through this database, in any module, into one transaction. The transaction commits when
   * `work` ends, and rolls back if `work` throws. If another transaction interfered, all of `work` runs again, so other side
   * effects must come after the unit. A nested unit can fail without failing the outer one.
   */
  unit<T>(work: (unit: Unit) => Promise<T>, options?: UnitOptions): Promise<T>

  /** Calls the listener with each payload that a committed transaction of any process publishes on this topic. */
  listen(topic: string, listener: Listener): Promise<StopListening>

  /** A token that changes with every commit. Costs little, because it reads no table. */
  commitToken(): Promise<string>

  /** Rejects when the database cannot answer a read now. */
  ping(): Promise<void>

  close(): Promise<void>
}

/** If a statement fails, the whole transaction fails, even if the work continues. */
export interface Transaction extends Pick<Database, 'engine'> {
  /** Another transaction may change the rows before the next statement, which must therefore check them again, as in `AND version = ?`. */
  read<T>(query: Query, mapRow: RowMapper<T>): Promise<readonly T[]>

  /** Returns the number of changed rows. */
  run(query: Query): Promise<number>

  /** Appends the entry to its log table when the transaction commits. No reader sees the entry earlier. */
  append(entry: LogEntry): Promise<void>

  /** Sends a payload of at most 4,000 bytes to all listeners once the transaction has committed. */
  publish(topic: string, payload: string): Promise<void>
}

export interface UnitOptions {
  /** True if one failed write fails the unit. The writes then run concurrently and need no savepoints, which is faster on PostgreSQL. */
  readonly isAllOrNothing?: boolean
}

export interface Unit {
  /** Runs `work` in the unit's transaction, before the unit's first write. */
  beforeFirstWrite(work: (tx: Transaction) => Promise<void>): void

  /** Runs `work` at the end of the unit's transaction. If nothing was written, opens a transaction for it. */
  beforeCommit(work: (tx: Transaction) => Promise<void>): void
}

export interface Listener {
  onPayload(payload: string): void

  /** Called when payloads may have been lost. */
  onLoss(): void
}

export type StopListening = () => Promise<void>

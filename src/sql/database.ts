import type { LogEntry } from './log-table.ts'
import type { Query, Value } from './query.ts'

/** A write publishes this topic if its deleted data must also disappear from the database files. */
export const erasureTopic = 'erasure'

export type Row = Readonly<Record<string, Value>>

/** Turns a row into a record. Pass the same function every time: results are cached per function. */
export type RowMapper<T> = (row: Row) => T

/** The result of a `find` that needs no query, for example when the given text is not an id. */
export const noResult = Promise.resolve(undefined)

export interface Database {
  readonly engine: 'sqlite' | 'postgres'

  /** As `read`, but only the first row. Several `lookup` queries may share one statement. */
  find<T>(query: Query, make: RowMapper<T>): Promise<T | undefined>

  /**
   * Reads rows from one committed state, or from the calling unit's transaction. Only for queries that an index answers with
   * few rows, because they may run on this thread. Results are frozen, because several callers may share them.
   */
  read<T>(query: Query, make: RowMapper<T>): Promise<readonly T[]>

  /** As `read`, for a query that may look at every row. Other requests do not wait for it. */
  scan<T>(query: Query, make: RowMapper<T>): Promise<readonly T[]>

  /** Streams many rows in batches from one committed snapshot. It waits for a slow reader; other requests do not wait for it. */
  stream<T>(query: Query, make: RowMapper<T>): AsyncIterable<readonly T[]>

  /** All or nothing. Resolves once the write is durable. `work` runs again if another transaction interfered. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>

  /** Runs one statement as its own transaction and appends the entry if a row changed. Returns the number of changed rows. */
  run(query: Query, entry?: LogEntry): Promise<number>

  /**
   * One transaction for everything that `work` writes through this database, in any room. It commits when `work` ends and rolls
   * back if `work` throws. If another transaction interfered, all of `work` runs again, so other side effects must come after
   * the unit. A nested unit can fail without failing the outer one.
   */
  unit<T>(work: (unit: Unit) => Promise<T>): Promise<T>

  /** Receives what committed transactions publish on this topic, from every process on the same database. */
  listen(topic: string, listener: Listener): Promise<StopListening>

  /** A token that changes with every commit. Needs no scan. */
  stateToken(): Promise<string>

  /** Rejects when the database cannot answer a read now. */
  ping(): Promise<void>

  close(): Promise<void>
}

/** A failing statement fails the whole write, even if the work continues. */
export interface Transaction extends Pick<Database, 'engine'> {
  /** Another transaction may commit before the next statement, so that statement must repeat its condition, as in `AND version = ?`. */
  read<T>(query: Query, make: RowMapper<T>): Promise<readonly T[]>

  /** Returns the number of changed rows. */
  run(query: Query): Promise<number>

  /** Appends the entry to its log when the transaction commits. Nobody can read it earlier. */
  append(entry: LogEntry): Promise<void>

  /** Sends the payload to all listeners once the transaction has committed. At most 4,000 bytes. */
  publish(topic: string, payload: string): Promise<void>
}

export interface Unit {
  /** Runs in the unit's transaction, before its first write. */
  beforeFirstWrite(work: (tx: Transaction) => Promise<void>): void

  /** Runs last in the unit's transaction, and opens one if nothing was written. */
  beforeCommit(work: (tx: Transaction) => Promise<void>): void
}

export interface Listener {
  onPayload(payload: string): void

  /** Called when payloads may have been lost. */
  onLoss(): void
}

export type StopListening = () => Promise<void>

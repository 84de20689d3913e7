import type { Entry } from './log.ts'
import type { Query, Value } from './query.ts'

/** Published by a write after which nothing of what it deleted may be left in the files of the database. */
export const erasureTopic = 'erasure'

export type Row = Readonly<Record<string, Value>>

/** Turns a row into what the room works with. Must be the same function every time, or its results are not cached. */
export type Make<T> = (row: Row) => T

/** The answer of a `find` that needs no query, such as for something that is not an id. */
export const nothing = Promise.resolve(undefined)

export interface Database {
  readonly engine: 'sqlite' | 'postgres'

  /** As `read`, but only the first row. Records that are asked for by a `lookup` may be found by one statement. */
  find<T>(query: Query, make: Make<T>): Promise<T | undefined>

  /**
   * The rows of one committed state, or as the calling unit sees them. For queries that an index answers with few rows:
   * they may run on this thread. The results may be shared with other callers, so they are frozen.
   */
  read<T>(query: Query, make: Make<T>): Promise<readonly T[]>

  /** As `read`, for a query that may look at every row: it makes no other request wait. */
  scan<T>(query: Query, make: Make<T>): Promise<readonly T[]>

  /** Many rows, in batches from one committed snapshot. Makes no other request wait, and itself waits for a slow reader. */
  stream<T>(query: Query, make: Make<T>): AsyncIterable<readonly T[]>

  /** All or nothing. Resolves when the write is durable, never before. The work may run again if others interfered. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>

  /** Runs one statement as its own transaction, and enters the entry if it changed a row. Returns how many rows it changed. */
  run(query: Query, entry?: Entry): Promise<number>

  /**
   * One transaction for everything that `work` writes through this database, in whatever room. It is committed when
   * `work` ends, rolled back if `work` throws, and invisible to others until then. If others interfered, all of `work` may
   * run again, so any other side effect must come after it. A unit within a unit is a part of it that can fail alone.
   */
  unit<T>(work: (unit: Unit) => Promise<T>): Promise<T>

  /** Receives what transactions publish on this topic after their commit, from any process on the same database. */
  listen(topic: string, listener: Listener): Promise<StopListening>

  /** A token that differs whenever the committed state differs. It costs no scan. */
  state(): Promise<string>

  /** Rejects when the database cannot answer a read now. */
  ping(): Promise<void>

  close(): Promise<void>
}

/** A failing statement fails the whole write, even if the work continues. */
export interface Transaction {
  /** Others may commit before a later statement, which must therefore state what it relies on, as in `AND version = ?`. */
  read<T>(query: Query, make: Make<T>): Promise<readonly T[]>

  /** Returns how many rows it changed. */
  run(query: Query): Promise<number>

  /** Enters it in its log if the transaction commits. It is not to be read before. */
  enter(entry: Entry): Promise<void>

  /** Sends it to all listeners if the transaction commits. At most 4,000 bytes. */
  publish(topic: string, payload: string): Promise<void>
}

export interface Unit {
  /** Runs in the unit's transaction, before its first write. */
  before(work: (tx: Transaction) => Promise<void>): void

  /** Runs last in the unit's transaction; opens one if nothing was written. */
  last(work: (tx: Transaction) => Promise<void>): void
}

export interface Listener {
  heard(payload: string): void

  /** Some payloads may have been missed. */
  missed(): void
}

export type StopListening = () => Promise<void>

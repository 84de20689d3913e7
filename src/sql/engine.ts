import type { Database, Transaction } from './database.ts'

/** A database whose tables migrations can alter. Resources see only `Database`. */
export interface Engine extends Database {
  /** Runs a transaction that may change tables. Only one process at a time can do so. */
  alter<T>(work: (tx: AlterTransaction) => Promise<T>): Promise<T>
}

export interface AlterTransaction extends Transaction {
  /** Runs one or more statements verbatim. */
  exec(text: string): Promise<void>
}

/** Observes an engine. Its methods are called while requests wait, so each must be fast. */
export interface Observer {
  /** Called when this many writes became durable together. */
  groupCommitted?(writes: number, ms: number): void
  /** Called when the storage failed, with a reason such as `full`, `busy` or `connection`. */
  storageFailed?(reason: string): void
  cacheRead?(isHit: boolean): void
  /** Called once if there is a SQLite WAL. `bytes` returns the present size of the WAL. */
  walOpened?(bytes: () => number): void
  /** Called when the WAL has restarted from its beginning. During the restart, all requests waited for a sync. */
  walRestarted?(): void
  /** Called when one of the engine's background tasks has run, with the error if it failed. */
  taskEnded?(name: string, error?: unknown): void
  /** Called once for each bounded pool of connections or threads. `pool` shows the present state of the pool. */
  poolOpened?(name: PoolName, pool: PoolState): void
}

/** PostgreSQL has `sessions` and `reads`, SQLite has `scans` (threads). Both have `writes` and `streams`. */
export type PoolName = 'sessions' | 'reads' | 'scans' | 'writes' | 'streams'

export interface PoolState {
  readonly limit: number
  taken(): number
  waiting(): number
}

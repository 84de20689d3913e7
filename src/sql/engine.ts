import type { Database, Transaction } from './database.ts'

/** A database as the start of the service sees it. Rooms see only `Database`. */
export interface Engine extends Database {
  /** A transaction that may change tables. Processes that start together take turns. */
  alter<T>(work: (tx: AlterTransaction) => Promise<T>): Promise<T>
}

export interface AlterTransaction extends Transaction {
  /** Runs several statements verbatim. */
  exec(text: string): Promise<void>
}

/** Observes an engine. Every method is on the hot path of requests, so it must be fast. */
export interface Observer {
  /** This many writes became durable together. */
  groupCommitted?(writes: number, ms: number): void
  /** The storage failed, for a reason such as `full`, `busy` or `connection`. */
  storageFailed?(kind: string): void
  /** A read was answered from memory, or was not. */
  wasRemembered?(remembered: boolean): void
  /** Called once if there is a SQLite WAL; its size may be read at any time afterwards. */
  logOpened?(bytes: () => number): void
  /** The WAL has restarted from its beginning, for which a sync kept everybody waiting. */
  logRestarted?(): void
  /** A run of a task of the engine's own has ended: well, unless there is an error. */
  taskEnded?(name: string, error?: unknown): void
  /** Called once for each bounded pool of connections or threads; it may be inspected at any time afterwards. */
  poolOpened?(name: PoolName, pool: PoolState): void
}

/** `sessions` and `reads` are of PostgreSQL, `scans` are threads of SQLite; both engines have `writes` and `streams`. */
export type PoolName = 'sessions' | 'reads' | 'scans' | 'writes' | 'streams'

export interface PoolState {
  readonly limit: number
  taken(): number
  waiting(): number
}

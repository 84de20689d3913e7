import type { Database, Transaction } from './database.ts'

/** A database as the start of the service sees it. Rooms see the promise alone. */
export interface Engine extends Database {
  /** A transaction that may change tables. Processes that start together take turns in it. */
  alter<T>(work: (tx: AlterTransaction) => Promise<T>): Promise<T>
}

export interface AlterTransaction extends Transaction {
  /** Runs several statements as they stand. */
  exec(text: string): Promise<void>
}

/** Told what an engine does. Every method is called on the way of a request: it must be quick. */
export interface Observer {
  /** So many writes became durable together. */
  groupCommitted?(writes: number, ms: number): void
  /** The storage refused, in a word such as `full`, `busy` or `connection`. */
  storageFailed?(kind: string): void
  /** A read was answered from memory, or was not. */
  wasRemembered?(remembered: boolean): void
  streamsOpen?(count: number): void
  /** Called once where there is a log of SQLite, whose size may be looked at ever after. */
  logOpened?(bytes: () => number): void
  /** Called once for each bounded number of connections or threads, which may be looked at ever after. */
  poolOpened?(name: PoolName, pool: PoolLook): void
}

/** Connections to PostgreSQL, or threads that scan SQLite; and on either those who write and those who read streams. */
export type PoolName = 'sessions' | 'reads' | 'scans' | 'writes' | 'streams'

export interface PoolLook {
  readonly limit: number
  taken(): number
  waiting(): number
}

import { availableParallelism } from 'node:os'

/** Limits for everything that can grow or take time. */
export const defaultLimits = {
  queuedWrites: 4_096,
  groupedWrites: 128,
  /** The longest wait of a commit for the writes of further turns of the event loop. */
  gatherMs: 2,
  /** If the last sync took less time, the next sync runs on the main thread. */
  fastSyncMs: 0.1,
  /** The longest time that a transaction may stay open without running a statement. */
  idleMs: 5_000,
  /** The longest wait for a lock of another process. */
  busyMs: 2_000,
  /** The pause between two attempts to reopen the database after a failed sync. */
  reopenMs: 1_000,
  /** The number of threads for scans and streams. */
  threads: Math.min(availableParallelism(), 4),
  streams: 32,
  /** The number of callers that may wait for a scan or a stream, and their longest wait. */
  maxWaiting: 256,
  waitMs: 5_000,
  /** A scan is refused if its expected wait is longer. */
  targetWaitMs: 250,
  /** The longest duration of a stream. Until it ends, every write makes the WAL grow. */
  streamMs: 300_000,
  /** The longest pause of a stream's reader. */
  pauseMs: 30_000,
  /** The minimum pace of a stream's reader while other callers wait for a stream, and the time by which the reader may fall behind it. */
  minRowsPerSecond: 200,
  lagMs: 5_000,
  /** The number of rows written between two checkpoints. */
  checkpointRows: 2_000,
  /** No restart is forced while the WAL is shorter. During a restart, writes wait, and after it all requests wait for one sync. */
  shortWalPages: 4_096,
  /** A longer WAL is restarted, although writes then wait for the WAL's readers. */
  longWalPages: 16_384,
  /** While the WAL is longer, no stream begins, so that the running streams end and the WAL can restart. */
  maxWalPages: 262_144,
}

export type Limits = Readonly<typeof defaultLimits>

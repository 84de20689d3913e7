import { availableParallelism } from 'node:os'

/** A limit for everything that could grow or take time. */
export const defaultLimits = {
  /** Writes waiting for their turn. */
  queuedWrites: 4_096,
  /** Writes that one commit makes durable. */
  groupedWrites: 128,
  /** How long a commit waits for writes of further turns of the event loop. */
  gatherMs: 2,
  /** A disk that syncs faster is synced on the thread that answers. */
  fastSyncMs: 0.1,
  /** How long a transaction may hold the lane without running a statement. */
  idleMs: 5_000,
  /** How long to wait for another process's lock. */
  busyMs: 2_000,
  /** The pause between two attempts to open the database anew after a sync failed. */
  reopenMs: 1_000,
  /** Threads that scan and stream. */
  threads: Math.min(availableParallelism(), 4),
  streams: 32,
  /** How many may wait for a scan or a stream, and for how long. */
  maxWaiting: 256,
  waitMs: 5_000,
  /** Nobody joins the queue for scans if it is expected to take longer. */
  aimMs: 250,
  /** How long a stream may last: meanwhile every later write makes the WAL grow. */
  streamMs: 300_000,
  /** How long the reader of a stream may pause. */
  pauseMs: 30_000,
  /** The minimum pace of a reader while others wait for its place, and how far it may fall behind. */
  minRowsPerSecond: 200,
  lagMs: 5_000,
  /** Rows written between two checkpoints. */
  checkpointRows: 2_000,
  /** A shorter WAL restarts only by chance: meanwhile writes wait, and then everybody for one sync. */
  shortLogPages: 4_096,
  /** A longer WAL is restarted, even though writes must then wait for its readers. */
  longLogPages: 16_384,
  /** While the WAL is longer than this, no new stream begins, so that the running ones end and it can restart. */
  maxLogPages: 262_144,
}

export type Limits = Readonly<typeof defaultLimits>

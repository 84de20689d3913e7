import { availableParallelism } from 'node:os'

/** A number for everything that could grow or last. */
export const defaultLimits = {
  /** Writes that wait for their turn. */
  queuedWrites: 4_096,
  /** Writes that one commit makes durable. */
  groupedWrites: 128,
  /** How long a commit waits for those of further turns of the event loop. */
  gatherMs: 2,
  /** How long a work may hold the lane without saying a statement. */
  idleMs: 5_000,
  /** How long a lock of another process is waited for. */
  busyMs: 2_000,
  /** Threads that scan and stream. */
  threads: Math.min(availableParallelism(), 4),
  streams: 32,
  /** Those who wait for a scan or a stream, and for how long. */
  waiting: 256,
  waitMs: 5_000,
  /** Nobody joins a line of scans that takes longer. */
  aimMs: 250,
  /** How long a stream may last: the log of all later writes grows meanwhile. */
  streamMs: 300_000,
  /** How long the reader of a stream may pause. */
  pauseMs: 30_000,
  /** The least pace of a reader while others wait for its place, and by how much it may fall behind. */
  leastRowsPerSecond: 200,
  lagMs: 5_000,
  /** Writing statements between two checkpoints of the log. */
  checkpointStatements: 2_000,
  /** A log that is longer begins anew, though writes wait for its readers then. */
  longLogPages: 16_384,
  /** While it is longer than this, no further stream begins: those that are there end, and it begins anew. */
  longestLogPages: 262_144,
}

export type Limits = Readonly<typeof defaultLimits>

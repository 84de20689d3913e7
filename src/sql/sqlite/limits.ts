import { availableParallelism } from 'node:os'

/** A number for everything that could grow or last. */
export interface Limits {
  /** Writes that wait for their turn. */
  readonly queuedWrites: number
  /** Writes that one commit makes durable. */
  readonly groupedWrites: number
  /** How long a commit waits for those of further turns of the event loop. */
  readonly gatherMs: number
  /** How long a work may hold the lane without saying a statement. */
  readonly idleMs: number
  /** How long a lock of another process is waited for. */
  readonly busyMs: number
  /** Threads that scan and stream. */
  readonly threads: number
  readonly streams: number
  /** Those who wait for a scan or a stream, and for how long; nobody joins a line of scans that takes longer than the aim. */
  readonly waiting: number
  readonly waitMs: number
  readonly aimMs: number
  /** How long a stream may last: the log of all later writes grows meanwhile. */
  readonly streamMs: number
  /** How long the reader of a stream may pause. */
  readonly pauseMs: number
  /** The least pace of a reader while others wait for its place, and by how much it may fall behind. */
  readonly leastRowsPerSecond: number
  readonly lagMs: number
  /** Writing statements between two checkpoints of the log. */
  readonly checkpointStatements: number
  /** A log that is longer begins anew, though writes wait for its readers then. */
  readonly longLogPages: number
  /** While it is longer than this, no further stream begins: those that are there end, and it begins anew. */
  readonly longestLogPages: number
}

export const defaultLimits: Limits = {
  queuedWrites: 4_096,
  groupedWrites: 128,
  gatherMs: 2,
  idleMs: 5_000,
  busyMs: 2_000,
  threads: Math.min(availableParallelism(), 4),
  streams: 32,
  waiting: 256,
  waitMs: 5_000,
  aimMs: 250,
  streamMs: 300_000,
  pauseMs: 30_000,
  leastRowsPerSecond: 200,
  lagMs: 5_000,
  checkpointStatements: 2_000,
  longLogPages: 16_384,
  longestLogPages: 262_144,
}

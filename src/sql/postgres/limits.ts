/** A number for everything that could grow or last. */
export const defaultLimits = {
  /** Connections of an instance: these, those that short reads share, and one that listens. */
  sessions: 7,
  lines: 2,
  /** Short reads under way at once. */
  reads: 256,
  /** How long a connection of theirs may say nothing. */
  silentMs: 3_000,
  silentLookMs: 250,
  /** Transactions that writes of one statement share: how many at once, how many writes in one, how long one of them may wait for a lock. */
  groups: 2,
  groupedWrites: 64,
  groupLockMs: 50,
  groupLookMs: 100,
  /** How often one is tried in a group; how many at once are done alone then, most of which wait for a lock; and how long others wait for that: with the tries before no longer than for a session. */
  groupTries: 5,
  alone: 3,
  aloneWaitMs: 700,
  /** Sessions that writes may hold: a long read finds one also when every write waits. */
  writes: 6,
  /** Sessions that streams may hold. */
  streams: 3,
  /** Those who wait for a session, and for how long. */
  waiting: 1_024,
  waitMs: 1_000,
  streamWaitMs: 5_000,
  connectMs: 3_000,
  statementMs: 15_000,
  /** Longer than the server needs to end a statement: then the network is gone. */
  answerMs: 20_000,
  /** How long whoever writes waits for the answer to COMMIT, how long the session is kept for it, and how often it is looked what became of it. */
  commitMs: 3_500,
  lateCommitMs: 3_600_000,
  lookMs: 1_000,
  lockMs: 2_000,
  /** How long a transaction may say nothing. */
  idleMs: 5_000,
  /** How long a stream may last, and its reader pause: old rows are kept for it meanwhile. */
  streamMs: 300_000,
  pauseMs: 30_000,
  /** The least pace of a reader while others wait for its place, and by how much it may fall behind. */
  leastRowsPerSecond: 200,
  lagMs: 5_000,
  attempts: 4,
  pauseBeforeRetryMs: 10,
  /** How often the connection that listens is asked whether it lives, and how soon another is opened. */
  heartbeatMs: 10_000,
  reconnectMs: 250,
  batchRows: 500,
  closeMs: 2_000,
}

export type Limits = Readonly<typeof defaultLimits>

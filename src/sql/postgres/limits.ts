/** A number for everything that could grow or last. */
export const defaultLimits = {
  /** Connections that one piece of work holds at a time. */
  sessions: 7,
  /** Connections that short reads share. One more listens. */
  sharedSessions: 2,
  /** Short reads under way at once. */
  reads: 256,
  /** How long a connection that they share may leave a question without an answer. */
  silentMs: 3_000,
  /** How often that is looked at. */
  silentLookMs: 250,
  /** Groups, each a transaction that writes of one statement share, under way at once. */
  groups: 2,
  /** Writes in one group. */
  groupedWrites: 64,
  /** How long a write in a group may wait for a lock. */
  groupLockMs: 50,
  /** How often those who wait for a group are looked at, whether one has waited too long. */
  groupLookMs: 100,
  /** How often a write is tried in a group before it is done alone. */
  groupTries: 5,
  /** Writes done alone at once. Most of them wait for a lock. */
  alone: 3,
  /** How long a write waits for its turn to be done alone: together with its tries, no longer than for a session. */
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
  /** How long a writer waits for the answer to COMMIT. */
  commitMs: 3_500,
  /** How long the session is kept for an answer to COMMIT that is late. */
  lateCommitMs: 3_600_000,
  /** How often the server is asked whether it still works on such a COMMIT. */
  lookMs: 1_000,
  /** How long a statement waits for a lock. */
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

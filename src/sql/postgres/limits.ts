/** A limit for everything that could grow or take time. */
export const defaultLimits = {
  /** Connections that are used by one caller at a time. */
  sessions: 7,
  /** Connections that short reads share. One more connection listens. */
  sharedSessions: 2,
  /** Short reads running at once. */
  reads: 256,
  /** How long a short read may take. If it takes longer, its connection may be dead. */
  readMs: 5_000,
  /** Statements under way at once that find records of one kind by their keys, and how many keys one of them may have. */
  lookups: 2,
  gatheredKeys: 256,
  /** Writes in one group: a transaction that single-statement writes share. The next one begins when it has ended. */
  groupedWrites: 128,
  /** How long a write in a group may wait for a lock. */
  groupLockMs: 50,
  /** How many times a write is tried in a group before it is done alone. */
  groupTries: 5,
  /** Writes done alone at once. Most of them wait for a lock. */
  alone: 3,
  /** How long a write waits for its turn to be done alone: with its tries in groups, no longer than a wait for a session. */
  aloneWaitMs: 700,
  /** Sessions that writes may hold: a long read finds one even if every write is waiting. */
  writes: 6,
  /** Sessions that streams may hold. */
  streams: 3,
  /** How many may wait for a session, and for how long. */
  maxWaiting: 1_024,
  waitMs: 1_000,
  streamWaitMs: 5_000,
  connectMs: 3_000,
  statementMs: 15_000,
  /** Longer than the server takes to time out a statement, so no answer by then means that the network is gone. */
  answerMs: 20_000,
  /** How long a writer waits for the answer to COMMIT. */
  commitMs: 3_500,
  /** How long the session is kept for a late answer to COMMIT. */
  lateCommitMs: 3_600_000,
  /** How often the server is asked whether it is still working on such a COMMIT. */
  lateCheckMs: 1_000,
  /** How long a statement waits for a lock. */
  lockMs: 2_000,
  /** How long a transaction may be idle. */
  idleMs: 5_000,
  /** How long a stream may last, and how long its reader may pause: meanwhile the server keeps old row versions for it. */
  streamMs: 300_000,
  pauseMs: 30_000,
  /** The minimum pace of a reader while others wait for its place, and how far it may fall behind. */
  minRowsPerSecond: 200,
  lagMs: 5_000,
  attempts: 4,
  pauseBeforeRetryMs: 10,
  /** How often the listening connection is checked, and how soon a lost one is reopened. */
  heartbeatMs: 10_000,
  reconnectMs: 250,
  /** How long no further connection is asked for after the server has refused one because it has no more. */
  scarceMs: 30_000,
  batchRows: 500,
  closeMs: 2_000,
}

export type Limits = Readonly<typeof defaultLimits>

/** The fewest: one for short reads, one that listens, one for a write and one for a long read. */
export const minConnections = 4
export const maxConnections = 1_000

/** The limits of a service that may have so many connections. */
export const limitsFor = (connections = 10): Limits => {
  const sharedSessions = connections < 8 ? 1 : defaultLimits.sharedSessions
  const sessions = connections - sharedSessions - 1
  return {
    ...defaultLimits,
    sharedSessions,
    sessions,
    writes: sessions - 1,
    streams: Math.floor(sessions / 2),
  }
}

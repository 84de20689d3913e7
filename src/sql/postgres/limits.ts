/** Limits for everything that can grow or take time. */
export const defaultLimits = {
  /** The number of connections that serve one caller at a time. */
  sessions: 7,
  /** The number of connections that short reads share. One more connection listens. */
  sharedSessions: 2,
  /** The maximum number of concurrent short reads. */
  reads: 256,
  /** The time limit of a short read. If it takes longer, its connection may be dead. */
  readMs: 5_000,
  /** The maximum number of concurrent lookup statements per kind of record, and of keys in one of them. */
  lookups: 2,
  lookupKeys: 256,
  /** The maximum number of single-statement writes in a group, which share a transaction. Groups run one after another. */
  groupedWrites: 128,
  /** The longest wait of a grouped write for a lock. */
  groupLockMs: 50,
  /** The number of tries of a write in groups before it runs alone. */
  groupTries: 5,
  /** The maximum number of concurrent writes that run alone. Most of them wait for a lock. */
  writesAlone: 3,
  /** The longest wait of a write to run alone. `groupTries` × `groupLockMs` + `aloneWaitMs` is at most `waitMs`. */
  aloneWaitMs: 700,
  /** The maximum number of sessions for writes. The remaining session serves a long read even if all writes wait. */
  writes: 6,
  streams: 3,
  /** The number of callers that may wait for a session, and their longest wait. */
  maxWaiting: 1_024,
  waitMs: 1_000,
  streamWaitMs: 5_000,
  connectMs: 3_000,
  statementMs: 15_000,
  /** The longest wait for an answer. Longer than the server's statement timeout, so if no answer comes, the network is gone. */
  answerMs: 20_000,
  /** The longest wait of a writer for the answer to COMMIT. */
  commitMs: 3_500,
  /** The longest wait of a session for a late answer to COMMIT. */
  lateCommitMs: 3_600_000,
  /** The interval at which the server is asked whether it is still working on a late COMMIT. */
  lateCheckMs: 1_000,
  lockMs: 2_000,
  idleMs: 5_000,
  /** The longest duration of a stream, and the longest pause of its reader. Until the stream ends, the server keeps old row versions. */
  streamMs: 300_000,
  pauseMs: 30_000,
  /** The minimum pace of a stream's reader while other callers wait for a stream, and the time by which the reader may fall behind it. */
  minRowsPerSecond: 200,
  lagMs: 5_000,
  /** The number of tries of a transaction with which another one interferes. */
  attempts: 4,
  pauseBeforeRetryMs: 10,
  /** The interval of checks of the listening connection, and the pause before it is reopened. */
  heartbeatMs: 10_000,
  reconnectMs: 250,
  /** How long no connection is opened after the server refused one because it has too many. */
  shortageMs: 30_000,
  batchRows: 500,
  closeMs: 2_000,
}

export type Limits = Readonly<typeof defaultLimits>

/** One connection each for short reads, for listening, for a write and for a long read. */
export const minConnections = 4
export const maxConnections = 1_000

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

/** Limits for everything that can grow or take time. */
export const defaultLimits = {
  /** The number of connections that serve one caller at a time. */
  sessions: 7,
  /** The number of connections that short reads share. One more connection listens. */
  sharedSessions: 2,
  reads: 256,
  /** How long a short read may take. If it takes longer, its connection may be dead. */
  readMs: 5_000,
  /** The maximum number of concurrent lookup statements per kind of record, and of keys in one of them. */
  lookups: 2,
  lookupKeys: 256,
  /** The maximum number of single-statement writes in a group, which share a transaction. Groups run one after another. */
  groupedWrites: 128,
  /** How long a write in a group may wait for a lock. */
  groupLockMs: 50,
  /** How many times a write is tried in a group before it runs alone. */
  groupTries: 5,
  /** The maximum number of concurrent writes that run alone. Most of them wait for a lock. */
  writesAlone: 3,
  /** How long a write waits until it may run alone. Together with its tries in groups, it waits no longer than for a session. */
  aloneWaitMs: 700,
  /** The maximum number of sessions for writes. The remaining session serves a long read even if all writes wait. */
  writes: 6,
  streams: 3,
  /** How many callers may wait for a session, and for how long. */
  maxWaiting: 1_024,
  waitMs: 1_000,
  streamWaitMs: 5_000,
  connectMs: 3_000,
  statementMs: 15_000,
  /** How long to wait for an answer. Longer than the server's statement timeout, so if no answer comes, the network is gone. */
  answerMs: 20_000,
  /** How long a writer waits for the answer to COMMIT. */
  commitMs: 3_500,
  /** How long a session waits for a late answer to COMMIT. */
  lateCommitMs: 3_600_000,
  /** How often to ask the server whether it is still working on a late COMMIT. */
  lateCheckMs: 1_000,
  lockMs: 2_000,
  idleMs: 5_000,
  /** How long a stream may last, and how long its reader may pause. Until the stream ends, the server keeps old row versions. */
  streamMs: 300_000,
  pauseMs: 30_000,
  /** The minimum pace of a stream's reader while other callers wait for a stream, and how far the reader may fall behind. */
  minRowsPerSecond: 200,
  lagMs: 5_000,
  attempts: 4,
  pauseBeforeRetryMs: 10,
  /** How often to check the listening connection, and how soon to reopen it after a loss. */
  heartbeatMs: 10_000,
  reconnectMs: 250,
  /** After the server had no more connections: how long to open no further one. */
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

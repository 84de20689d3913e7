import { overloaded, storageUnavailable } from '#core/problem.ts'
import { erasureTopic } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import type { Publication } from '#sql/listeners.ts'
import type { LogEntry } from '#sql/log-table.ts'
import type { Query } from '#sql/query.ts'
import { appendEntries } from './append.ts'
import { retryWhileBusy } from './busy-retry.ts'
import { commitDelay } from './commit-delay.ts'
import type { Connection } from './connection.ts'
import { reportAndRefuse } from './errors.ts'
import type { Limits } from './limits.ts'
import { QueuedStatement, type QueuedWrite } from './queued-write.ts'
import { type OpenTransaction, QueuedTransaction, savepoint } from './transaction.ts'
import { markErasurePending } from './wal.ts'

export interface CommitSummary {
  readonly changedKeys: readonly string[]
  /** True if a statement may have changed records whose keys it does not name. */
  readonly mayChangeAnyRecord: boolean
  /** True if the database may have changed. */
  readonly hasChanges: boolean
  readonly changedRows: number
  readonly hasAlteredTables: boolean
  readonly publications: readonly Publication[]
}

interface WriteQueueOptions {
  readonly writer: Connection
  /** Called before each transaction. If it throws, all waiting writes are refused. */
  readonly beforeBegin: () => void
  /** Calls `commit` and makes the commit durable. Until then, no reader sees the commit. */
  readonly commit: (commit: () => void) => Promise<void>
  /** Called when a commit is durable, before its writers are answered. */
  readonly onCommitted: (changes: CommitSummary) => void
  readonly observer: Observer
  readonly limits: Limits
}

/** The queue of all writes. Writes that are requested together share one commit. */
export const writeQueue = (options: WriteQueueOptions) => {
  const { queuedWrites, groupedWrites, gatherMs } = options.limits
  let queue: AnyWrite[] = []
  let running: Promise<void> | undefined
  const tasksBetweenTransactions: (() => Promise<void>)[] = []
  let isClosed = false
  const { waitForWrites, noteCommit } = commitDelay({
    waitingCount: () => queue.length,
    maxWrites: groupedWrites,
    maxMs: gatherMs,
  })
  options.observer.poolOpened?.('writes', {
    limit: 1,
    taken: () => (running ? 1 : 0),
    waiting: () => queue.length,
  })

  const drain = async () => {
    while (queue.length > 0 || tasksBetweenTransactions.length > 0) {
      await waitForWrites()
      await tasksBetweenTransactions.shift()?.()
      const beginError = queue.length > 0 ? await begin(options) : undefined
      const group = queue.slice(0, beginError === undefined ? groupedWrites : queue.length)
      queue = queue.slice(group.length)
      if (beginError !== undefined) for (const write of group) write.reject(beginError)
      else if (group.length > 0) noteCommit(group.length, await commitTogether(group, options))
    }
    running = undefined
  }

  const enqueue = <T>(
    makeWrite: (resolve: QueuedWrite['resolve'], reject: QueuedWrite['reject']) => AnyWrite,
  ): Promise<T> => {
    if (isClosed) return Promise.reject(storageUnavailable(new Error('the database is closed')))
    if (queue.length >= queuedWrites) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      queue.push(makeWrite(resolve as QueuedWrite['resolve'], reject))
      running ??= drain()
    })
  }

  return {
    write: <T>(work: (tx: OpenTransaction) => Promise<T>, hasSavepoints = false): Promise<T> =>
      enqueue((resolve, reject) => new QueuedTransaction({ work, hasSavepoints }, resolve, reject)),

    run: (query: Query, entry?: LogEntry): Promise<number> =>
      enqueue((resolve, reject) => new QueuedStatement({ query, entry }, resolve, reject)),

    /** Runs the work while no transaction is open. Writes wait for the work. */
    runBetweenTransactions: (work: () => Promise<void>): Promise<void> =>
      new Promise((resolve, reject) => {
        tasksBetweenTransactions.push(() => work().then(resolve, reject))
        running ??= drain()
      }),

    /** Refuses further writes. Resolves when all queued writes have ended. */
    async close() {
      isClosed = true
      await running
    },
  }
}

type AnyWrite = QueuedTransaction | QueuedStatement

/** Returns an error if no transaction can begin. Then all waiting writes are refused, so they wait for a lock together, not one after another. */
const begin = async ({ writer, beforeBegin, observer, limits }: WriteQueueOptions): Promise<unknown> => {
  try {
    beforeBegin()
    await retryWhileBusy(limits.busyMs, () => writer.command('BEGIN IMMEDIATE'))
    return undefined
  } catch (error) {
    rollBack(writer)
    return reportAndRefuse(observer, error)
  }
}

/** Runs the writes in one transaction and settles them. Returns the duration of the commit with its sync. */
const commitTogether = async (group: readonly AnyWrite[], options: WriteQueueOptions): Promise<number> => {
  const { writer, commit, observer } = options
  const startedAtMs = performance.now()
  let syncMs = 0
  try {
    const succeeded = await runEach(group, options)
    if (succeeded.length > 0) {
      const entries = succeeded.flatMap((write) => write.entries)
      if (entries.length > 0) appendEntries(writer, entries)
      if (succeeded.some(isErasing)) writer.command(markErasurePending)
      const commitStartedAtMs = performance.now()
      await commit(() => writer.command('COMMIT'))
      syncMs = performance.now() - commitStartedAtMs
      reportCommit(succeeded, entries, options)
      observer.groupCommitted?.(succeeded.length, performance.now() - startedAtMs)
    } else rollBack(writer)
    // A refusal may reveal what other writes of the group changed, so it also waits until the group is durable.
    for (const write of group) write.settle()
  } catch (error) {
    rollBack(writer)
    const refusal = reportAndRefuse(observer, error)
    for (const write of group) write.reject(refusal)
  }
  return syncMs
}

const isErasing = ({ publications }: AnyWrite) => publications.some(({ topic }) => topic === erasureTopic)

/** Runs each write, and rolls back each failed one alone. Returns the writes that succeeded. */
const runEach = async (group: readonly AnyWrite[], { writer, limits, observer }: WriteQueueOptions) => {
  const succeeded: AnyWrite[] = []
  const perform = (write: QueuedTransaction) => {
    const work = () => write.run(writer, limits.idleMs)
    return group.length === 1
      ? work()
      : savepoint({ writer, name: 'write', isOpen: writer.inTransaction }, work)
  }
  for (const write of group) {
    try {
      write.value = write instanceof QueuedStatement ? write.run(writer) : await perform(write)
      succeeded.push(write)
    } catch (error) {
      // SQLite may roll back the whole transaction, for example if the disk is full. Then the whole group fails.
      if (!writer.inTransaction()) throw storageUnavailable(error)
      write.ownError = reportAndRefuse(observer, error) ?? new Error('a write failed without an error')
    }
  }
  return succeeded
}

const rollBack = (writer: Connection) => {
  try {
    if (writer.inTransaction()) writer.command('ROLLBACK')
  } catch {
    // The next BEGIN will fail too, and then this function runs again.
  }
}

const reportCommit = (
  succeeded: readonly AnyWrite[],
  entries: readonly LogEntry[],
  { onCommitted }: WriteQueueOptions,
) => {
  const changedKeys = succeeded.flatMap((write) => write.changedKeys)
  const hasAlteredTables = succeeded.some((write) => write.hasAlteredTables)
  const mayChangeAnyRecord = hasAlteredTables || succeeded.some((write) => write.mayChangeAnyRecord)
  const topics = new Set(entries.map(({ log }) => log.topic))
  const publications = [
    ...succeeded.flatMap((write) => write.publications),
    ...[...topics].map((topic) => ({ topic, payload: '' })),
  ]
  const changedRows = succeeded.reduce((sum, write) => sum + write.changedRows, entries.length)
  const hasChanges = hasAlteredTables || changedRows > 0 || publications.length > 0
  onCommitted({ changedKeys, mayChangeAnyRecord, hasChanges, hasAlteredTables, changedRows, publications })
}

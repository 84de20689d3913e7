import { overloaded, storageUnavailable } from '#core/problem.ts'
import { erasureTopic } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import type { Publication } from '#sql/listeners.ts'
import type { LogEntry } from '#sql/log-table.ts'
import type { Query } from '#sql/query.ts'
import { append } from './append.ts'
import { retryWhileBusy } from './busy-retry.ts'
import type { Connection } from './connection.ts'
import { reported } from './errors.ts'
import { gathering } from './gathering.ts'
import type { Limits } from './limits.ts'
import { type Pending, Statement } from './pending.ts'
import { type LaneTransaction, savepoint, Write } from './transaction.ts'
import { erasureIsPending } from './wal.ts'

export interface Committed {
  readonly keys: readonly string[]
  /** Whether a statement changed records without naming their keys. */
  readonly all: boolean
  /** Whether the state may have changed. */
  readonly changed: boolean
  readonly rows: number
  readonly altered: boolean
  readonly publications: readonly Publication[]
}

interface LaneOptions {
  readonly writer: Connection
  /** Runs before each transaction. If it throws, all waiting writes are refused. */
  readonly beforeBegin: () => void
  /** Calls `commit` and makes the commit durable. Readers do not see it earlier. */
  readonly commit: (commit: () => void) => Promise<void>
  /** Runs when a commit is durable, before its callers are answered. */
  readonly committed: (changes: Committed) => void
  readonly observer: Observer
  readonly limits: Limits
}

/** The queue of all writes. Writes requested together share one commit. */
export const lane = (options: LaneOptions) => {
  const { queuedWrites, groupedWrites, gatherMs } = options.limits
  let queue: AnyWrite[] = []
  let running: Promise<void> | undefined
  const betweenTasks: (() => Promise<void>)[] = []
  let closed = false
  const { gather, answered } = gathering({
    waiting: () => queue.length,
    maxWrites: groupedWrites,
    maxMs: gatherMs,
  })
  options.observer.poolOpened?.('writes', {
    limit: 1,
    taken: () => (running ? 1 : 0),
    waiting: () => queue.length,
  })

  const drain = async () => {
    while (queue.length > 0 || betweenTasks.length > 0) {
      await gather()
      await betweenTasks.shift()?.()
      const refused = queue.length > 0 ? await begin(options) : undefined
      const group = queue.slice(0, refused === undefined ? groupedWrites : queue.length)
      queue = queue.slice(group.length)
      if (refused !== undefined) for (const write of group) write.reject(refused)
      else if (group.length > 0) answered(group.length, await commitTogether(group, options))
    }
    running = undefined
  }

  const enqueue = <T>(
    makeWrite: (resolve: Pending['resolve'], reject: Pending['reject']) => AnyWrite,
  ): Promise<T> => {
    if (closed) return Promise.reject(storageUnavailable(new Error('the database is closed')))
    if (queue.length >= queuedWrites) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      queue.push(makeWrite(resolve as Pending['resolve'], reject))
      running ??= drain()
    })
  }

  return {
    write: <T>(work: (tx: LaneTransaction) => Promise<T>, hasSavepoints = false): Promise<T> =>
      enqueue((resolve, reject) => new Write({ work, hasSavepoints }, resolve, reject)),

    run: (query: Query, entry?: LogEntry): Promise<number> =>
      enqueue((resolve, reject) => new Statement({ query, entry }, resolve, reject)),

    /** Runs the work while no transaction is open. Writes wait for it. */
    between: (work: () => Promise<void>): Promise<void> =>
      new Promise((resolve, reject) => {
        betweenTasks.push(() => work().then(resolve, reject))
        running ??= drain()
      }),

    /** Refuses further writes, and resolves after the last requested one. */
    async close() {
      closed = true
      await running
    },
  }
}

type AnyWrite = Write | Statement

/** Returns an error if no transaction can begin. With it all waiting writes are refused, so that they wait for a lock together, not in turn. */
const begin = async ({ writer, beforeBegin, observer, limits }: LaneOptions): Promise<unknown> => {
  try {
    beforeBegin()
    await retryWhileBusy(limits.busyMs, () => writer.command('BEGIN IMMEDIATE'))
    return undefined
  } catch (error) {
    abandon(writer)
    return reported(observer, error)
  }
}

/** Returns the duration of the sync. */
const commitTogether = async (group: readonly AnyWrite[], options: LaneOptions): Promise<number> => {
  const { writer, commit, observer } = options
  const startedAtMs = performance.now()
  let syncMs = 0
  try {
    const done = await workAll(group, options)
    if (done.length > 0) {
      const entries = done.flatMap((write) => write.entries)
      if (entries.length > 0) append(writer, entries)
      if (done.some(isErasing)) writer.command(erasureIsPending)
      const workedAtMs = performance.now()
      await commit(() => writer.command('COMMIT'))
      syncMs = performance.now() - workedAtMs
      reportCommit(done, entries, options)
      observer.groupCommitted?.(done.length, performance.now() - startedAtMs)
    } else abandon(writer)
    // A refusal may reveal what other writes of the group changed, so it also waits until the group is durable.
    for (const write of group) write.settle()
  } catch (error) {
    abandon(writer)
    const refused = reported(observer, error)
    for (const write of group) write.reject(refused)
  }
  return syncMs
}

const isErasing = ({ publications }: AnyWrite) => publications.some(({ topic }) => topic === erasureTopic)

/** Returns the writes that succeeded. Each failed write is rolled back alone. */
const workAll = async (group: readonly AnyWrite[], { writer, limits, observer }: LaneOptions) => {
  const done: AnyWrite[] = []
  const perform = (write: Write) => {
    const work = () => write.run(writer, limits.idleMs)
    return group.length === 1
      ? work()
      : savepoint({ writer, name: 'write', isOpen: writer.inTransaction }, work)
  }
  for (const write of group) {
    try {
      write.value = write instanceof Statement ? write.run(writer) : await perform(write)
      done.push(write)
    } catch (error) {
      // A full disk, for example, rolls back the whole transaction, and then the whole group fails.
      if (!writer.inTransaction()) throw storageUnavailable(error)
      write.refused = reported(observer, error) ?? new Error('a write failed without an error')
    }
  }
  return done
}

const abandon = (writer: Connection) => {
  try {
    if (writer.inTransaction()) writer.command('ROLLBACK')
  } catch {
    // The next BEGIN will fail, and this will run again.
  }
}

const reportCommit = (
  done: readonly AnyWrite[],
  entries: readonly LogEntry[],
  { committed }: LaneOptions,
) => {
  const keys = done.flatMap((write) => write.keys)
  const altered = done.some((write) => write.altered)
  const all = altered || done.some((write) => write.changedUnnamed)
  const topics = new Set(entries.map(({ log }) => log.topic))
  const publications = [
    ...done.flatMap((write) => write.publications),
    ...[...topics].map((topic) => ({ topic, payload: '' })),
  ]
  const rows = done.reduce((sum, write) => sum + write.rows, entries.length)
  const changed = altered || rows > 0 || publications.length > 0
  committed({ keys, all, changed, altered, rows, publications })
}

import { storageUnavailable } from '#core/problem.ts'
import type { AlterTransaction } from '#sql/engine.ts'
import type { Publication } from '#sql/listeners.ts'
import type { LogEntry } from '#sql/log-table.ts'
import { type Query, raw, sql } from '#sql/query.ts'
import type { NestingTransaction } from '#sql/unit.ts'
import { StatementRefused, toRefusal } from './errors.ts'
import {
  appendQuery,
  assignNumbers,
  type LoggedStatement,
  type MarkedEntry,
  markStatements,
} from './log-entries.ts'
import type { Session } from './session.ts'
import type { Result } from './wire/request.ts'

export type OpenTransaction = NestingTransaction & AlterTransaction

/** After sending COMMIT, a transaction calls `onCommitted`, or `onUnknown` if no answer confirms the commit. */
export interface Publishing {
  onCommitted(publications: readonly Publication[]): void
  onUnknown(publications: readonly Publication[]): void
  /** The payload as it is sent to other processes. */
  withPrefix(payload: string): string
}

/** Runs the work in one transaction. The first statement does not wait for the answer to BEGIN. */
export const transact = async <T>(
  session: Session,
  work: (tx: OpenTransaction) => Promise<T>,
  publishing: Publishing,
): Promise<T> => {
  const transaction = begin(session, publishing)
  transaction.send('BEGIN READ WRITE')
  let value: T
  try {
    value = await session.whileAlive(work(transaction.tx))
    transaction.end()
  } catch (error) {
    transaction.rollBack()
    throw error
  }
  await transaction.commit()
  return value
}

/**
 * Runs statements as one transaction in a single round trip. Returns the number of rows that each changed. No statement may
 * wait long for a lock: the missing answer would be taken for a late answer to COMMIT.
 */
export const transactPipelined = async (
  session: Session,
  logged: readonly LoggedStatement[],
): Promise<readonly number[]> => {
  const transaction = begin(session, noPublishing)
  const { groupLockMs, lateCommitMs } = session.limits
  transaction.send(`BEGIN READ WRITE; SET LOCAL lock_timeout = ${groupLockMs}`)
  const { queries, entries } = markStatements(logged)
  const changedRows = Promise.all(
    queries.map((query, index) =>
      session.query(query, lateCommitMs).then(changedRowsOf, (error: unknown) => {
        throw new StatementRefused(index, error)
      }),
    ),
  )
  transaction.append(entries)
  const committed = transaction.commit()
  try {
    // The server answers all statements together, so only COMMIT has a time limit.
    await Promise.all([changedRows, committed])
  } catch (error) {
    // No other transaction may get the session while an answer to this one is outstanding.
    await committed.catch(() => undefined)
    throw error
  }
  return changedRows
}

const noPublishing: Publishing = {
  onCommitted: () => undefined,
  onUnknown: () => undefined,
  withPrefix: (payload) => payload,
}

const begin = (session: Session, publishing: Publishing) => {
  const { lateCommitMs, commitMs } = session.limits
  const publications: Publication[] = []
  const entries: LogEntry[] = []
  let setNumbers = () => {}
  let failure: unknown
  let isOpen = true

  const fail = (error: unknown) => {
    failure ??= error
  }

  /** Sends a statement without waiting. If the statement fails, the transaction fails. The answer may come as late as that to COMMIT. */
  const send = (text: string) => {
    session.exec(text, lateCommitMs).catch(fail)
  }

  /** Appends entries without waiting, as `send` does. The entries get their numbers only if COMMIT succeeds. */
  const append = (added: readonly MarkedEntry[]) => {
    if (added.length === 0) return
    session.query(appendQuery(added), lateCommitMs).then(({ rows }) => {
      setNumbers = () => assignNumbers(added, rows)
    }, fail)
  }

  const requireOpen = () => {
    if (!isOpen || session.isLost()) throw storageUnavailable(new Error('the transaction has ended'))
  }

  /** A failed statement fails the transaction, even if the work ignores the failure. */
  const orFail = async <A>(ask: () => Promise<A>): Promise<A> => {
    requireOpen()
    try {
      return await ask()
    } catch (error) {
      failure ??= error
      throw toRefusal(error)
    }
  }
  const ask = (query: Query) => orFail(() => session.query(query))

  const rollBack = () => {
    isOpen = false
    session.exec('ROLLBACK', lateCommitMs).catch(() => session.drop())
  }

  const nested = async <T>(work: (tx: OpenTransaction) => Promise<T>): Promise<T> => {
    requireOpen()
    const failureBefore = failure
    const [publicationsBefore, entriesBefore] = [publications.length, entries.length]
    send('SAVEPOINT nested')
    try {
      const value = await work(tx)
      if (failure !== failureBefore) throw toRefusal(failure)
      requireOpen()
      send('RELEASE nested')
      return value
    } catch (error) {
      // After the transaction has ended, another one may be using the session.
      if (!isOpen) throw error
      failure = failureBefore
      publications.length = publicationsBefore
      entries.length = entriesBefore
      send('ROLLBACK TO nested')
      send('RELEASE nested')
      throw error
    }
  }

  const tx: OpenTransaction = {
    engine: 'postgres',
    read: async (query, mapRow) => (await ask(query)).rows.map((row) => mapRow(row)),
    run: async (query) => changedRowsOf(await ask(query)),
    append: async (entry) => {
      requireOpen()
      entries.push(entry)
    },
    exec: (text) => orFail(() => session.exec(text, Number.POSITIVE_INFINITY)).then(() => undefined),
    publish: async (topic, payload) => {
      await ask(sql`SELECT pg_notify(${topic}, ${publishing.withPrefix(payload)})`)
      publications.push({ topic, payload })
    },
    nested,
  }

  return {
    tx,
    send,
    append,
    rollBack,

    /** Call when the work has ended, before `commit`. */
    end() {
      requireOpen()
      isOpen = false
      if (failure !== undefined) throw toRefusal(failure)
      append(entries.map((entry) => ({ entry, mark: '' })))
    },

    async commit() {
      try {
        const { tag, warning } = await session.queryInTime(commit, commitMs)
        if (failure !== undefined) throw toRefusal(failure)
        // A warning may mean that the standby did not confirm the commit, which may therefore be lost.
        if (tag !== 'COMMIT' || warning) throw storageUnavailable(new Error(`COMMIT: ${warning ?? tag}`))
      } catch (error) {
        publishing.onUnknown(publications)
        // COMMIT has no effect if a statement before it failed.
        rollBack()
        throw error
      }
      setNumbers()
      publishing.onCommitted(publications)
    },
  }
}

const commit = raw('COMMIT')

/** The number at the end of the tag, as in `UPDATE 1` or `INSERT 0 1`. Zero if the tag ends with a word. */
const changedRowsOf = ({ tag }: Result<unknown>) => Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0

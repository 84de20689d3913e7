import { storageUnavailable } from '#core/problem.ts'
import type { AlterTransaction } from '#sql/engine.ts'
import type { Publication } from '#sql/listeners.ts'
import type { LogEntry } from '#sql/log-table.ts'
import { type Query, raw, sql } from '#sql/query.ts'
import type { NestingTransaction } from '#sql/unit.ts'
import { appending, assignNumbers, type LoggedStatement, type MarkedEntry, marked } from './entries.ts'
import { refusal, StatementRefused } from './errors.ts'
import type { Session } from './session.ts'
import type { Result } from './wire/request.ts'

export type OpenTransaction = NestingTransaction & AlterTransaction

/** After sending COMMIT, a transaction calls `committed`, or `unknown` if no answer confirms the commit. */
export interface Publishing {
  committed(publications: readonly Publication[]): void
  unknown(publications: readonly Publication[]): void
  /** The payload as other processes receive it. */
  signed(payload: string): string
}

/** Runs the work in one transaction. The first statement does not wait for the answer to BEGIN. */
export const transact = async <T>(
  session: Session,
  work: (tx: OpenTransaction) => Promise<T>,
  publishing: Publishing,
): Promise<T> => {
  const running = begin(session, publishing)
  running.send('BEGIN READ WRITE')
  let value: T
  try {
    value = await session.whileAlive(work(running.tx))
    running.end()
  } catch (error) {
    running.abandon()
    throw error
  }
  await running.commit()
  return value
}

/**
 * Runs statements as one transaction in a single round trip. Returns the number of changed rows of each. None may wait long for
 * a lock, because the silence would be taken for an unanswered COMMIT.
 */
export const transactPipelined = async (
  session: Session,
  logged: readonly LoggedStatement[],
): Promise<readonly number[]> => {
  const running = begin(session, silent)
  const { groupLockMs, lateCommitMs } = session.limits
  running.send(`BEGIN READ WRITE; SET LOCAL lock_timeout = ${groupLockMs}`)
  const { queries, entries } = marked(logged)
  const changed = Promise.all(
    queries.map((query, index) =>
      session.query(query, lateCommitMs).then(changedBy, (error: unknown) => {
        throw new StatementRefused(index, error)
      }),
    ),
  )
  running.append(entries)
  const committed = running.commit()
  try {
    // The server answers all statements together, so only COMMIT needs a time limit.
    await Promise.all([changed, committed])
  } catch (error) {
    // Nobody else may get the session while an answer to this transaction is outstanding.
    await committed.catch(() => undefined)
    throw error
  }
  return changed
}

const silent: Publishing = {
  committed: () => undefined,
  unknown: () => undefined,
  signed: (payload) => payload,
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

  /** Sends a statement without waiting. If it fails, the transaction fails. Its answer may come as late as COMMIT's. */
  const send = (text: string) => {
    session.exec(text, lateCommitMs).catch(fail)
  }

  /** As `send`. The entries get their numbers only if COMMIT succeeds. */
  const append = (added: readonly MarkedEntry[]) => {
    if (added.length === 0) return
    session.query(appending(added), lateCommitMs).then(({ rows }) => {
      setNumbers = () => assignNumbers(added, rows)
    }, fail)
  }

  const use = () => {
    if (!isOpen || session.isLost()) throw storageUnavailable(new Error('the transaction has ended'))
  }

  /** A failed statement fails the transaction, even if the work ignores the failure. */
  const failing = async <A>(ask: () => Promise<A>): Promise<A> => {
    use()
    try {
      return await ask()
    } catch (error) {
      failure ??= error
      throw refusal(error)
    }
  }
  const ask = (query: Query) => failing(() => session.query(query))

  const abandon = () => {
    isOpen = false
    session.exec('ROLLBACK', lateCommitMs).catch(() => session.drop())
  }

  const nested = async <T>(work: (tx: OpenTransaction) => Promise<T>): Promise<T> => {
    use()
    const [failureBefore, published, appended] = [failure, publications.length, entries.length]
    send('SAVEPOINT nested')
    try {
      const value = await work(tx)
      if (failure !== failureBefore) throw refusal(failure)
      use()
      send('RELEASE nested')
      return value
    } catch (error) {
      // After the transaction has ended, another one may be using the session.
      if (!isOpen) throw error
      failure = failureBefore
      publications.length = published
      entries.length = appended
      send('ROLLBACK TO nested')
      send('RELEASE nested')
      throw error
    }
  }

  const tx: OpenTransaction = {
    engine: 'postgres',
    read: async (query, mapRow) => (await ask(query)).rows.map((row) => mapRow(row)),
    run: async (query) => changedBy(await ask(query)),
    append: async (entry) => {
      use()
      entries.push(entry)
    },
    exec: (text) => failing(() => session.exec(text, Number.POSITIVE_INFINITY)).then(() => undefined),
    publish: async (topic, payload) => {
      await ask(sql`SELECT pg_notify(${topic}, ${publishing.signed(payload)})`)
      publications.push({ topic, payload })
    },
    nested,
  }

  return {
    tx,
    send,
    append,
    abandon,

    end() {
      use()
      isOpen = false
      if (failure !== undefined) throw refusal(failure)
      append(entries.map((entry) => ({ entry, mark: '' })))
    },

    async commit() {
      try {
        const { tag, warning } = await session.queryInTime(commit, commitMs)
        if (failure !== undefined) throw refusal(failure)
        // A warning may mean that the standby did not confirm the commit, so it may be lost.
        if (tag !== 'COMMIT' || warning) throw storageUnavailable(new Error(`COMMIT: ${warning ?? tag}`))
      } catch (error) {
        publishing.unknown(publications)
        // COMMIT has no effect if a statement before it failed.
        abandon()
        throw error
      }
      setNumbers()
      publishing.committed(publications)
    },
  }
}

const commit = raw('COMMIT')

/** The number that ends the tag, as in `UPDATE 1` or `INSERT 0 1`; zero if it ends with a word. */
const changedBy = ({ tag }: Result<unknown>) => Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0

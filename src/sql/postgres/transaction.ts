import { storageUnavailable } from '#core/problem.ts'
import type { AlterTransaction } from '#sql/engine.ts'
import type { Publication } from '#sql/listeners.ts'
import type { Entry } from '#sql/log.ts'
import { type Query, raw, sql } from '#sql/query.ts'
import type { NestingTransaction } from '#sql/unit.ts'
import { entering, type Logged, type MarkedEntry, marked, tellNumbers } from './entries.ts'
import { refusal, StatementRefused } from './errors.ts'
import type { Session } from './session.ts'
import type { Result } from './wire/request.ts'

export type OpenTransaction = NestingTransaction & AlterTransaction

/** After COMMIT is sent, either `committed` is called, or `unknown` if no answer confirms it. */
export interface Publishing {
  committed(publications: readonly Publication[]): void
  unknown(publications: readonly Publication[]): void
  /** The payload as sent to other processes. */
  signed(payload: string): string
}

/** Runs the work in one transaction of the session. The first statement does not wait for the answer to BEGIN. */
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
 * Runs statements as one transaction in a single round trip. Returns how many rows each changed. None may wait long for
 * another transaction's lock, because the silence would be taken for an unanswered COMMIT.
 */
export const transactPipelined = async (
  session: Session,
  logged: readonly Logged[],
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
  running.enter(entries)
  const committed = running.commit()
  try {
    // The server answers all statements together, so only the COMMIT needs a time limit.
    await Promise.all([changed, committed])
  } catch (error) {
    // The session must not be given to others while an answer to this transaction is outstanding.
    await committed.catch(() => undefined)
    throw error
  }
  return changed
}

/** For transactions that publish nothing. */
const silent: Publishing = {
  committed: () => undefined,
  unknown: () => undefined,
  signed: (payload) => payload,
}

const begin = (session: Session, publishing: Publishing) => {
  const { lateCommitMs, commitMs } = session.limits
  const publications: Publication[] = []
  const entries: Entry[] = []
  let tell = () => {}
  let failure: unknown
  let isOpen = true

  const fail = (error: unknown) => {
    failure ??= error
  }

  /** Sends a statement without waiting; if it fails, the transaction fails. It may be answered as late as COMMIT. */
  const send = (text: string) => {
    session.exec(text, lateCommitMs).catch(fail)
  }

  /** As `send`. It is answered before COMMIT is, and its numbers count only then. */
  const enter = (added: readonly MarkedEntry[]) => {
    if (added.length === 0) return
    session.query(entering(added), lateCommitMs).then(({ rows }) => {
      tell = () => tellNumbers(added, rows)
    }, fail)
  }

  const use = () => {
    if (!isOpen || session.isLost()) throw storageUnavailable(new Error('the transaction has ended'))
  }

  /** A failed statement fails the transaction, even if the work ignored the failure. */
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
    const [failureBefore, published, entered] = [failure, publications.length, entries.length]
    send('SAVEPOINT part')
    try {
      const value = await work(tx)
      if (failure !== failureBefore) throw refusal(failure)
      use()
      send('RELEASE part')
      return value
    } catch (error) {
      // Once the transaction has ended, the session may be in use by another.
      if (!isOpen) throw error
      failure = failureBefore
      publications.length = published
      entries.length = entered
      send('ROLLBACK TO part')
      send('RELEASE part')
      throw error
    }
  }

  const tx: OpenTransaction = {
    read: async (query, make) => (await ask(query)).rows.map((row) => make(row)),
    run: async (query) => changedBy(await ask(query)),
    enter: async (entry) => {
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
    enter,
    abandon,

    end() {
      use()
      isOpen = false
      if (failure !== undefined) throw refusal(failure)
      enter(entries.map((entry) => ({ entry, mark: '' })))
    },

    async commit() {
      try {
        const { tag, warning } = await session.queryInTime(commit, commitMs)
        if (failure !== undefined) throw refusal(failure)
        // A warning may mean that the standby did not confirm the commit, which may then be lost.
        if (tag !== 'COMMIT' || warning) throw storageUnavailable(new Error(`COMMIT: ${warning ?? tag}`))
      } catch (error) {
        publishing.unknown(publications)
        // COMMIT was not done if a statement before it failed.
        abandon()
        throw error
      }
      tell()
      publishing.committed(publications)
    },
  }
}

const commit = raw('COMMIT')

/** The last word of the tag, as in `UPDATE 1` or `INSERT 0 1`. Other statements have no number there. */
const changedBy = ({ tag }: Result<unknown>) => Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0

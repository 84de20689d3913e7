import { storageUnavailable } from '#core/problem.ts'
import type { AlterTransaction } from '#sql/engine.ts'
import type { Publication } from '#sql/listeners.ts'
import { type Query, raw, sql } from '#sql/query.ts'
import type { NestingTransaction } from '#sql/unit.ts'
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
  const running = new RunningTransaction(session, publishing)
  running.send('BEGIN READ WRITE')
  let value: T
  try {
    value = await session.whileAlive(work(running.transaction()))
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
  queries: readonly Query[],
): Promise<readonly number[]> => {
  const running = new RunningTransaction(session, silent)
  const { groupLockMs, lateCommitMs } = session.limits
  running.send(`BEGIN READ WRITE; SET LOCAL lock_timeout = ${groupLockMs}`)
  const changed = Promise.all(
    queries.map((query, index) =>
      session.query(query, lateCommitMs).then(changedBy, (error: unknown) => {
        throw new StatementRefused(index, error)
      }),
    ),
  )
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

class RunningTransaction {
  readonly #session: Session
  readonly #publishing: Publishing
  readonly #publications: Publication[] = []
  #failure: unknown
  #open = true

  constructor(session: Session, publishing: Publishing) {
    this.#session = session
    this.#publishing = publishing
  }

  /** Sends a statement without waiting; if it fails, the transaction fails. It may be answered as late as COMMIT. */
  send(text: string) {
    this.#session.exec(text, this.#session.limits.lateCommitMs).catch((error: unknown) => {
      this.#failure ??= error
    })
  }

  /** A failed statement fails the transaction, even if the work ignored the failure. */
  end() {
    this.#use()
    this.#open = false
    if (this.#failure !== undefined) throw refusal(this.#failure)
  }

  abandon() {
    this.#open = false
    this.#session.exec('ROLLBACK', this.#session.limits.lateCommitMs).catch(() => this.#session.drop())
  }

  async commit() {
    try {
      const { tag, warning } = await this.#session.queryInTime(commit, this.#session.limits.commitMs)
      // A warning may mean that the standby did not confirm the commit, which may then be lost.
      if (tag !== 'COMMIT' || warning) throw storageUnavailable(new Error(`COMMIT: ${warning ?? tag}`))
    } catch (error) {
      this.#publishing.unknown(this.#publications)
      // COMMIT was not done if a statement before it failed.
      this.abandon()
      throw error
    }
    this.#publishing.committed(this.#publications)
  }

  transaction(): OpenTransaction {
    const tx: OpenTransaction = {
      read: async (query, make) => (await this.#ask(query)).rows.map((row) => make(row)),
      run: async (query) => changedBy(await this.#ask(query)),
      exec: async (text) => {
        this.#use()
        await this.#failing(this.#session.exec(text, Number.POSITIVE_INFINITY))
      },
      publish: async (topic, payload) => {
        await this.#ask(sql`SELECT pg_notify(${topic}, ${this.#publishing.signed(payload)})`)
        this.#publications.push({ topic, payload })
      },
      nested: (work) => this.#part(() => work(tx)),
    }
    return tx
  }

  async #part<T>(work: () => Promise<T>): Promise<T> {
    this.#use()
    const [failure, published] = [this.#failure, this.#publications.length]
    this.send('SAVEPOINT part')
    try {
      const value = await work()
      if (this.#failure !== failure) throw refusal(this.#failure)
      this.#use()
      this.send('RELEASE part')
      return value
    } catch (error) {
      // Once the transaction has ended, the session may be in use by another.
      if (!this.#open) throw error
      this.#failure = failure
      this.#publications.length = published
      this.send('ROLLBACK TO part')
      this.send('RELEASE part')
      throw error
    }
  }

  #ask(query: Query) {
    this.#use()
    return this.#failing(this.#session.query(query))
  }

  async #failing<A>(answer: Promise<A>): Promise<A> {
    try {
      return await answer
    } catch (error) {
      this.#failure ??= error
      throw refusal(error)
    }
  }

  #use() {
    if (!this.#open || this.#session.isLost())
      throw storageUnavailable(new Error('the transaction has ended'))
  }
}

const commit = raw('COMMIT')

/** The last word of the tag, as in `UPDATE 1` or `INSERT 0 1`. Other statements have no number there. */
const changedBy = ({ tag }: Result<unknown>) => Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0

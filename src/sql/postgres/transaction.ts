import { storageUnavailable } from '#core/problem.ts'
import type { AlterTransaction } from '#sql/engine.ts'
import type { Publication } from '#sql/listeners.ts'
import { type Query, raw, sql } from '#sql/query.ts'
import type { NestingTransaction } from '#sql/unit.ts'
import { refusal, StatementRefused } from './errors.ts'
import type { Session } from './session.ts'
import type { Result } from './wire/asked.ts'

export type OpenTransaction = NestingTransaction & AlterTransaction

/** After COMMIT was sent exactly one of these is called: `committed`, or `unknown` where no answer says so. */
export interface Telling {
  committed(publications: readonly Publication[]): void
  unknown(publications: readonly Publication[]): void
  /** What goes to the other processes for a payload. */
  signed(payload: string): string
}

/** Runs the work in one transaction of the session. The first statement does not wait for the answer to BEGIN. */
export const transact = async <T>(
  session: Session,
  work: (tx: OpenTransaction) => Promise<T>,
  telling: Telling,
): Promise<T> => {
  const course = new Course(session, telling)
  course.say('BEGIN READ WRITE')
  let value: T
  try {
    value = await session.whileAlive(work(course.transaction()))
    course.end()
  } catch (error) {
    course.abandon()
    throw error
  }
  await course.commit()
  return value
}

/**
 * Statements that are a whole transaction, which goes out at once and is answered at once. Each tells how many rows it
 * changed. None may wait long for another transaction's lock: silence would be taken for a COMMIT without an answer.
 */
export const transactAtOnce = async (
  session: Session,
  queries: readonly Query[],
): Promise<readonly number[]> => {
  const course = new Course(session, silent)
  const { groupLockMs, lateCommitMs } = session.limits
  course.say('BEGIN READ WRITE')
  course.say(`SET LOCAL lock_timeout = ${groupLockMs}`)
  const changed = Promise.all(
    queries.map((query, index) =>
      session.query(query, lateCommitMs).then(changedBy, (error: unknown) => {
        throw new StatementRefused(index, error)
      }),
    ),
  )
  const committed = course.commit()
  try {
    // The server answers all statements at once: only the COMMIT needs a time limit.
    await Promise.all([changed, committed])
  } catch (error) {
    // The session may be given to others only when no answer to this transaction is still to come.
    await committed.catch(() => undefined)
    throw error
  }
  return changed
}

/** For transactions that publish nothing. */
const silent: Telling = { committed: () => undefined, unknown: () => undefined, signed: (payload) => payload }

/** One transaction on its way. */
class Course {
  readonly #session: Session
  readonly #telling: Telling
  readonly #publications: Publication[] = []
  #failure: unknown
  #open = true

  constructor(session: Session, telling: Telling) {
    this.#session = session
    this.#telling = telling
  }

  /** Sends it without waiting; if it fails, the transaction fails. Its answer may come as late as that of COMMIT. */
  say(text: string) {
    this.#heed(this.#session.query(raw(text), this.#session.limits.lateCommitMs))
  }

  /** As say, whatever failed before. */
  #undo(text: string) {
    this.#heed(this.#session.say(text))
  }

  #heed(said: Promise<unknown>) {
    said.catch((error: unknown) => {
      this.#failure ??= error
    })
  }

  /** A statement that failed fails the transaction, also where the work did not look. */
  end() {
    this.#use()
    this.#open = false
    if (this.#failure !== undefined) throw refusal(this.#failure)
  }

  abandon() {
    this.#open = false
    this.#session.say('ROLLBACK', this.#session.limits.lateCommitMs).catch(() => this.#session.drop())
  }

  async commit() {
    this.#session.takeWarning()
    try {
      const { tag } = await this.#session.queryInTime(commit, this.#session.limits.commitMs)
      const warning = this.#session.takeWarning()
      // A warning may mean that the standby was not heard from: then the commit is not certain to last.
      if (tag !== 'COMMIT' || warning) throw storageUnavailable(new Error(`COMMIT: ${warning ?? tag}`))
    } catch (error) {
      this.#telling.unknown(this.#publications)
      // COMMIT was not done if a statement before it failed.
      this.abandon()
      throw error
    }
    this.#telling.committed(this.#publications)
  }

  transaction(): OpenTransaction {
    const tx: OpenTransaction = {
      read: async (query, make) => (await this.#ask(query)).rows.map((row) => make(row)),
      run: async (query) => changedBy(await this.#ask(query)),
      exec: async (text) => {
        this.#use()
        await this.#failing(this.#session.say(text, Number.POSITIVE_INFINITY))
      },
      publish: async (topic, payload) => {
        await this.#ask(sql`SELECT pg_notify(${topic}, ${this.#telling.signed(payload)})`)
        this.#publications.push({ topic, payload })
      },
      nested: (work) => this.#part(() => work(tx)),
    }
    return tx
  }

  async #part<T>(work: () => Promise<T>): Promise<T> {
    this.#use()
    const [failure, said] = [this.#failure, this.#publications.length]
    this.say('SAVEPOINT part')
    try {
      const value = await work()
      if (this.#failure !== failure) throw refusal(this.#failure)
      this.#use()
      this.say('RELEASE part')
      return value
    } catch (error) {
      // Once the transaction has ended, the session may be in use by another.
      if (!this.#open) throw error
      this.#failure = failure
      this.#publications.length = said
      this.#undo('ROLLBACK TO part')
      this.say('RELEASE part')
      throw error
    }
  }

  #ask(query: Query) {
    this.#use()
    return this.#failing(this.#session.query(query))
  }

  async #failing<A>(asked: Promise<A>): Promise<A> {
    try {
      return await asked
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

/** The last word of the tag: `UPDATE 1`, `INSERT 0 1`. One that changes no rows has none. */
const changedBy = ({ tag }: Result<unknown>) => Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0

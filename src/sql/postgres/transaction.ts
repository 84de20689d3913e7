import { storageUnavailable } from '#core/problem.ts'
import type { AlterTransaction } from '#sql/engine.ts'
import type { Publication } from '#sql/listeners.ts'
import { type Query, sql } from '#sql/query.ts'
import type { NestingTransaction } from '#sql/unit.ts'
import { refusal } from './errors.ts'
import { limits } from './limits.ts'
import type { Session } from './session.ts'

export type OpenTransaction = NestingTransaction & AlterTransaction

/** What became of a transaction whose COMMIT was said is told by `committed`, or not known. */
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
    value = await Promise.race([work(course.transaction()), session.lost])
    course.end()
  } catch (error) {
    course.abandon()
    throw error
  }
  await course.commit()
  return value
}

/** One statement as a whole transaction, which goes out at once: nothing waits until its end is durable. */
export const transactAlone = async (session: Session, query: Query, telling: Telling): Promise<number> => {
  const course = new Course(session, telling)
  course.say('BEGIN READ WRITE')
  const changed = course.transaction().run(query)
  const committed = course.commit()
  committed.catch(() => undefined)
  try {
    await Promise.race([changed, session.lost])
  } catch (error) {
    await committed.catch(() => undefined)
    throw error
  }
  await committed
  return changed
}

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

  /** Says it and goes on; should it fail, so does the transaction. */
  say(text: string) {
    this.#session.say(text).catch((error: unknown) => {
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
    this.#session.say('ROLLBACK').catch(() => this.#session.drop())
  }

  async commit() {
    this.#session.takeWarning()
    try {
      const { command } = await this.#session.sayInTime('COMMIT', limits.commitMs)
      const warning = this.#session.takeWarning()
      // A warning may be that nobody knows whether a standby has it: then it is not certain to last.
      if (command !== 'COMMIT' || warning)
        throw storageUnavailable(new Error(`COMMIT: ${warning ?? command}`))
    } catch (error) {
      this.#telling.unknown(this.#publications)
      throw error
    }
    this.#telling.committed(this.#publications)
  }

  transaction(): OpenTransaction {
    const tx: OpenTransaction = {
      read: async (query, make) => Array.from(await this.#ask(query), make),
      run: async (query) => (await this.#ask(query)).count,
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
      // When the whole has ended, the session may be somebody else's.
      if (!this.#open) throw error
      this.#failure = failure
      this.#publications.length = said
      this.say('ROLLBACK TO part')
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

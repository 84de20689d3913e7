import { AsyncLocalStorage } from 'node:async_hooks'
import type { Transaction, Unit } from './database.ts'

/** A transaction in which a part can fail alone. */
export interface NestingTransaction extends Transaction {
  nested<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

/** Tries once. */
type Begin = <T>(work: (tx: NestingTransaction) => Promise<T>) => Promise<T>

/** Tries again, when another transaction interfered. */
type Persist = <T>(work: () => Promise<T>) => Promise<T>

/** The units of one database. Which one a call belongs to follows the flow of `work`, not a parameter. */
export const units = (begin: Begin, persist: Persist) => {
  const storage = new AsyncLocalStorage<OpenUnit>()
  const current = () => {
    const unit = storage.getStore()
    return unit?.ended === false ? unit : undefined
  }

  return {
    current,

    unit: <T>(work: (unit: Unit) => Promise<T>): Promise<T> => {
      const outer = current()
      if (outer) return work(outer)
      return persist(() => {
        const unit = new OpenUnit(begin)
        return storage.run(unit, () => unit.perform(work))
      })
    },
  }
}

type Work<T> = (tx: Transaction) => Promise<T>

/** Holds one transaction of the engine from its first write to its end. */
class OpenUnit implements Unit {
  ended = false
  /** The transaction, once the first write asked for it. */
  tx: NestingTransaction | undefined
  readonly #begin: Begin
  readonly #before: Work<void>[] = []
  readonly #last: Work<void>[] = []
  #opening: Promise<NestingTransaction> | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #committed: Promise<void> | undefined
  #finish = Promise.withResolvers<void>()

  constructor(begin: Begin) {
    this.#begin = begin
    this.#finish.promise.catch(() => undefined)
  }

  before(work: Work<void>) {
    this.#before.push(work)
  }

  last(work: Work<void>) {
    this.#last.push(work)
  }

  /** Writes of one unit take turns: they share one transaction. */
  write<T>(work: Work<T>): Promise<T> {
    const result = this.#turn.then(async () => (await this.#open()).nested(work))
    this.#turn = result.catch(() => undefined)
    return result
  }

  async perform<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
    try {
      const result = await work(this)
      await this.#complete()
      return result
    } catch (error) {
      await this.#rollBack(error)
      throw error
    }
  }

  async #complete() {
    await this.#turn
    this.ended = true
    if (this.#last.length > 0) {
      const tx = await this.#open()
      for (const work of this.#last) await work(tx)
    }
    // A write that could not begin the transaction fails the unit, even where nobody looked at its answer.
    if (this.#opening) await this.#opening
    this.#finish.resolve()
    await this.#committed
  }

  async #rollBack(error: unknown) {
    this.ended = true
    this.#finish.reject(error)
    await this.#committed?.catch(() => undefined)
  }

  #open() {
    this.#opening ??= this.#take()
    return this.#opening
  }

  async #take() {
    const given = Promise.withResolvers<NestingTransaction>()
    this.#committed = this.#begin(async (tx) => {
      this.tx = tx
      given.resolve(tx)
      await this.#finish.promise
    })
    this.#committed.catch(given.reject)
    const tx = await given.promise
    for (const work of this.#before) await work(tx)
    return tx
  }
}

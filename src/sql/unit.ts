import { AsyncLocalStorage } from 'node:async_hooks'
import type { Transaction, Unit } from './database.ts'

/** A transaction with nested transactions that can fail without failing the outer one. */
export interface NestingTransaction extends Transaction {
  nested<T>(work: (tx: NestingTransaction) => Promise<T>): Promise<T>
}

type Begin = <T>(work: (tx: NestingTransaction) => Promise<T>) => Promise<T>

/** Tells the work how to begin its transaction, and runs it again if that transaction must be repeated. */
export type Retry = <T>(work: (begin: Begin) => Promise<T>) => Promise<T>

/** The units of one database. The async context of a call decides its unit, so no unit is passed as a parameter. */
export const units = (retry: Retry) => {
  const storage = new AsyncLocalStorage<OpenUnit>()
  const current = () => {
    const unit = storage.getStore()
    return unit?.ended === false ? unit : undefined
  }

  return {
    current,

    unit: <T>(work: (unit: Unit) => Promise<T>): Promise<T> => {
      const outer = current()
      return retry((begin) => {
        const unit = new OpenUnit(outer ? outer.write.bind(outer) : begin, outer)
        return storage.run(unit, () => unit.perform(work))
      })
    },
  }
}

type Work<T> = (tx: NestingTransaction) => Promise<T>

/** Holds one transaction of the engine, or one nested in the outer unit's, from the unit's first write to its end. */
class OpenUnit implements Unit {
  ended = false
  #tx: NestingTransaction | undefined
  readonly #begin: Begin
  readonly #outer: OpenUnit | undefined
  readonly #before: Work<void>[] = []
  readonly #last: Work<void>[] = []
  #opening: Promise<NestingTransaction> | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #committed: Promise<void> | undefined
  #finish = Promise.withResolvers<void>()

  constructor(begin: Begin, outer: OpenUnit | undefined) {
    this.#begin = begin
    this.#outer = outer
    this.#finish.promise.catch(() => undefined)
  }

  /** The transaction; undefined until a write has opened it. */
  get tx(): NestingTransaction | undefined {
    return this.#tx ?? this.#outer?.tx
  }

  beforeFirstWrite(work: Work<void>) {
    this.#before.push(work)
  }

  beforeCommit(work: Work<void>) {
    this.#last.push(work)
  }

  /** Runs the writes of a unit one after another, because they share a transaction. */
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
    // If the transaction could not begin, the unit fails, even if nobody awaited that write.
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
      this.#tx = tx
      given.resolve(tx)
      await this.#finish.promise
    })
    this.#committed.catch(given.reject)
    const tx = await given.promise
    for (const work of this.#before) await work(tx)
    return tx
  }
}

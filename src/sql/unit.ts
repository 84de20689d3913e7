import { AsyncLocalStorage } from 'node:async_hooks'
import type { Transaction, Unit, UnitOptions } from './database.ts'

/** A transaction with nested transactions that can fail without failing the outer one. */
export interface NestingTransaction extends Transaction {
  nested<T>(work: (tx: NestingTransaction) => Promise<T>): Promise<T>
}

type Begin = <T>(work: (tx: NestingTransaction) => Promise<T>) => Promise<T>

/** Calls the work with a function that begins a transaction. Calls the work again if the transaction must be repeated. */
export type Retry = <T>(work: (begin: Begin) => Promise<T>) => Promise<T>

/** The units of one database. The unit of a call is found by its async context, so no unit is passed as a parameter. */
export const units = (retry: Retry) => {
  const storage = new AsyncLocalStorage<OpenUnit>()
  const current = () => {
    const unit = storage.getStore()
    return unit?.isEnded === false ? unit : undefined
  }

  return {
    current,

    unit: <T>(work: (unit: Unit) => Promise<T>, options: UnitOptions = {}): Promise<T> => {
      const outer = current()
      return retry((begin) => {
        const unit = new OpenUnit(outer ? outer.write.bind(outer) : begin, outer, options)
        return storage.run(unit, () => unit.run(work))
      })
    },
  }
}

type Work<T> = (tx: NestingTransaction) => Promise<T>

/** From its first write to its end, a unit holds one transaction of the engine, or one nested in the transaction of the outer unit. */
class OpenUnit implements Unit {
  isEnded = false
  #tx: NestingTransaction | undefined
  readonly #begin: Begin
  readonly #outer: OpenUnit | undefined
  readonly #isAllOrNothing: boolean
  #failure: unknown
  readonly #beforeFirstWrite: Work<void>[] = []
  readonly #beforeCommit: Work<void>[] = []
  #opening: Promise<NestingTransaction> | undefined
  #lastWrite: Promise<unknown> = Promise.resolve()
  #committed: Promise<void> | undefined
  #workEnded = Promise.withResolvers<void>()

  constructor(begin: Begin, outer: OpenUnit | undefined, { isAllOrNothing = false }: UnitOptions) {
    this.#begin = begin
    this.#outer = outer
    this.#isAllOrNothing = isAllOrNothing
    this.#workEnded.promise.catch(() => undefined)
  }

  /** Undefined until a write has opened the transaction. */
  get tx(): NestingTransaction | undefined {
    return this.#tx ?? this.#outer?.tx
  }

  beforeFirstWrite(work: Work<void>) {
    this.#beforeFirstWrite.push(work)
  }

  beforeCommit(work: Work<void>) {
    this.#beforeCommit.push(work)
  }

  /** Runs each write as a nested transaction, one after another. In an all-or-nothing unit, runs them concurrently and not nested. */
  write<T>(work: Work<T>): Promise<T> {
    if (this.#isAllOrNothing) return this.#writeConcurrently(work)
    const result = this.#lastWrite.then(async () => (await this.#openOnce()).nested(work))
    this.#lastWrite = result.catch(() => undefined)
    return result
  }

  #writeConcurrently<T>(work: Work<T>): Promise<T> {
    const result = this.#openOnce().then(work)
    const settled = result.catch((error: unknown) => {
      this.#failure ??= error
    })
    this.#lastWrite = Promise.all([this.#lastWrite, settled])
    return result
  }

  async run<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
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
    await this.#lastWrite
    this.isEnded = true
    if (this.#failure !== undefined) throw this.#failure
    if (this.#beforeCommit.length > 0) {
      const tx = await this.#openOnce()
      for (const work of this.#beforeCommit) await work(tx)
    }
    // If the transaction could not begin, the unit fails, even if nobody awaited the write that began it.
    if (this.#opening) await this.#opening
    this.#workEnded.resolve()
    await this.#committed
  }

  async #rollBack(error: unknown) {
    this.isEnded = true
    this.#workEnded.reject(error)
    await this.#committed?.catch(() => undefined)
  }

  #openOnce() {
    this.#opening ??= this.#beginTransaction()
    return this.#opening
  }

  async #beginTransaction() {
    const transaction = Promise.withResolvers<NestingTransaction>()
    this.#committed = this.#begin(async (tx) => {
      this.#tx = tx
      transaction.resolve(tx)
      await this.#workEnded.promise
    })
    this.#committed.catch(transaction.reject)
    const tx = await transaction.promise
    for (const work of this.#beforeFirstWrite) await work(tx)
    return tx
  }
}

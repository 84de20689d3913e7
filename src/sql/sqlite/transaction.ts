import { storageUnavailable } from '#core/problem.ts'
import type { AlterTransaction } from '#sql/engine.ts'
import type { NestingTransaction, Retry } from '#sql/unit.ts'
import type { Connection } from './connection.ts'
import { toRefusal } from './errors.ts'
import { QueuedWrite } from './queued-write.ts'

export type OpenTransaction = NestingTransaction & AlterTransaction

interface TransactionWork {
  readonly work: (tx: OpenTransaction) => Promise<unknown>
  /** True if a nested transaction that fails can be rolled back alone. */
  readonly hasSavepoints: boolean
}

/** A nested transaction failed after it had written. The whole work must run again with savepoints. */
class SavepointsNeeded extends Error {}

type WriteOnce = <T>(work: (tx: OpenTransaction) => Promise<T>, hasSavepoints?: boolean) => Promise<T>

/** Runs a unit without savepoints and, only if they are needed, again with them: at each, a full-text index writes out all that it has buffered. */
export const savepointsIfNeeded =
  (write: WriteOnce): Retry =>
  async (work) => {
    let areSavepointsNeeded = false
    const begin: WriteOnce = (one) =>
      write(one).catch((error) => {
        areSavepointsNeeded = error instanceof SavepointsNeeded
        throw error
      })
    return work(begin).catch((error) => {
      if (areSavepointsNeeded) return work((one) => write(one, true))
      throw error
    })
  }

export class QueuedTransaction extends QueuedWrite {
  readonly #work: TransactionWork
  /** Why the write can no longer be committed. */
  #failure: unknown

  constructor(work: TransactionWork, resolve: QueuedWrite['resolve'], reject: QueuedWrite['reject']) {
    super(resolve, reject)
    this.#work = work
  }

  /** Runs the work in the open transaction. Fails if the work runs no statement for `idleMs`. */
  async run(writer: Connection, idleMs: number): Promise<unknown> {
    const idleTimeout = Promise.withResolvers<never>()
    const expire = () => idleTimeout.reject(storageUnavailable(new Error('a transaction was left idle')))
    const timer = setTimeout(expire, idleMs)
    let isRunning = true
    const isOpen = () => isRunning && writer.inTransaction()
    const requireOpen = () => {
      if (!isOpen()) throw transactionEnded()
      timer.refresh()
    }
    try {
      const value = await Promise.race([
        this.#work.work(this.#transaction(writer, requireOpen, isOpen)),
        idleTimeout.promise,
      ])
      // The work may have ignored a failure.
      if (this.#failure) throw this.#failure
      requireOpen()
      return value
    } catch (error) {
      // The work may have failed only because a nested transaction could not be rolled back.
      throw this.#failure instanceof SavepointsNeeded ? this.#failure : error
    } finally {
      isRunning = false
      clearTimeout(timer)
    }
  }

  #transaction(writer: Connection, requireOpen: () => void, isOpen: () => boolean): OpenTransaction {
    const runOpen = <T>(statement: () => T): T => {
      requireOpen()
      try {
        return statement()
      } catch (error) {
        this.#failure ??= toRefusal(error)
        throw toRefusal(error)
      }
    }
    const tx: OpenTransaction = {
      engine: 'sqlite',
      read: async (query, mapRow) => {
        const rows = runOpen(() => writer.rows(query))
        if (rows.length > 0 && !isSelect.test(query.text)) this.recordChange(query, writer, rows.length)
        return rows.map(mapRow)
      },
      run: async (query) => {
        const changes = runOpen(() => writer.run(query))
        if (changes > 0) this.recordChange(query, writer, changes)
        return changes
      },
      append: async (entry) => {
        requireOpen()
        this.entries.push(entry)
      },
      exec: async (text) => {
        this.hasAlteredTables = true
        runOpen(() => writer.exec(text))
      },
      publish: async (topic, payload) => {
        requireOpen()
        this.publications.push({ topic, payload })
      },
      nested: async (work) => {
        requireOpen()
        const [failureBefore, rowsBefore] = [this.#failure, this.changedRows]
        const [publicationsBefore, entriesBefore] = [this.publications.length, this.entries.length]
        const attempt = async () => {
          const value = await work(tx)
          if (this.#failure !== failureBefore) throw this.#failure
          requireOpen()
          return value
        }
        try {
          if (!this.#work.hasSavepoints) return await attempt()
          return await savepoint({ writer, name: 'nested', isOpen }, attempt)
        } catch (error) {
          const isRolledBack = this.#work.hasSavepoints || this.changedRows === rowsBefore
          this.#failure = isRolledBack ? failureBefore : new SavepointsNeeded()
          this.publications.length = publicationsBefore
          this.entries.length = entriesBefore
          throw error
        }
      },
    }
    return tx
  }
}

interface SavepointOptions {
  readonly writer: Connection
  /** The savepoint of a write and those nested in it have different names, because a rollback goes back to the latest savepoint of a name. */
  readonly name: 'write' | 'nested'
  readonly isOpen: () => boolean
}

/**
 * Runs the work in a savepoint, which can be rolled back without the rest of the transaction. If the work ends after the
 * transaction has ended, rolls back nothing, because the transaction that is then open belongs to other writes.
 */
export const savepoint = async <T>(
  { writer, name, isOpen }: SavepointOptions,
  work: () => Promise<T>,
): Promise<T> => {
  writer.command(`SAVEPOINT ${name}`)
  try {
    const value = await work()
    if (!isOpen()) throw transactionEnded()
    writer.command(`RELEASE ${name}`)
    return value
  } catch (error) {
    if (isOpen()) rollBackTo(writer, name)
    throw error
  }
}

/** Rolls back the savepoint or, if that fails, the whole transaction. */
const rollBackTo = (writer: Connection, name: string) => {
  try {
    writer.command(`ROLLBACK TO ${name}`)
    writer.command(`RELEASE ${name}`)
  } catch {
    writer.command('ROLLBACK')
  }
}

const transactionEnded = () => storageUnavailable(new Error('the transaction has ended'))

const isSelect = /^\s*select\b/i

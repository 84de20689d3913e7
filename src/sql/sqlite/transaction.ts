import { storageUnavailable } from '#core/problem.ts'
import type { AlterTransaction } from '#sql/engine.ts'
import type { NestingTransaction, Retry } from '#sql/unit.ts'
import type { Connection } from './connection.ts'
import { refusal } from './errors.ts'
import { Pending } from './pending.ts'

export type LaneTransaction = NestingTransaction & AlterTransaction

interface Work {
  readonly work: (tx: LaneTransaction) => Promise<unknown>
  /** Whether a nested transaction that fails can be rolled back alone. */
  readonly hasSavepoints: boolean
}

/** A nested transaction failed after it had written. All of the work must run again, with savepoints. */
class SavepointsNeeded extends Error {}

type WriteOnce = <T>(work: (tx: LaneTransaction) => Promise<T>, hasSavepoints?: boolean) => Promise<T>

/** Runs a unit without savepoints first, because a full-text index writes all that it has gathered at each of them. */
export const savepointsIfNeeded =
  (write: WriteOnce): Retry =>
  async (work) => {
    let areNeeded = false
    const begin: WriteOnce = (one) =>
      write(one).catch((error) => {
        areNeeded = error instanceof SavepointsNeeded
        throw error
      })
    return work(begin).catch((error) => {
      if (areNeeded) return work((one) => write(one, true))
      throw error
    })
  }

export class Write extends Pending {
  readonly #work: Work
  /** Why the write can no longer be committed. */
  #failure: unknown

  constructor(work: Work, resolve: Pending['resolve'], reject: Pending['reject']) {
    super(resolve, reject)
    this.#work = work
  }

  /** Does the work in the open transaction. Fails if the work runs no statement for `idleMs`. */
  async run(writer: Connection, idleMs: number): Promise<unknown> {
    const idle = Promise.withResolvers<never>()
    const expire = () => idle.reject(storageUnavailable(new Error('a transaction was left idle')))
    const timer = setTimeout(expire, idleMs)
    let open = true
    const isOpen = () => open && writer.inTransaction()
    const use = () => {
      if (!isOpen()) throw ended()
      timer.refresh()
    }
    try {
      const value = await Promise.race([
        this.#work.work(this.#transaction(writer, use, isOpen)),
        idle.promise,
      ])
      // The work may have ignored a failure.
      if (this.#failure) throw this.#failure
      use()
      return value
    } catch (error) {
      // The work may have failed only because a nested transaction was not rolled back.
      throw this.#failure instanceof SavepointsNeeded ? this.#failure : error
    } finally {
      open = false
      clearTimeout(timer)
    }
  }

  #transaction(writer: Connection, use: () => void, isOpen: () => boolean): LaneTransaction {
    const ask = <T>(say: () => T): T => {
      use()
      try {
        return say()
      } catch (error) {
        this.#failure ??= refusal(error)
        throw refusal(error)
      }
    }
    const tx: LaneTransaction = {
      engine: 'sqlite',
      read: async (query, make) => {
        const rows = ask(() => writer.rows(query))
        if (rows.length > 0 && !isSelect.test(query.text)) this.touched(query, writer, rows.length)
        return rows.map(make)
      },
      run: async (query) => {
        const changes = ask(() => writer.run(query))
        if (changes > 0) this.touched(query, writer, changes)
        return changes
      },
      append: async (entry) => {
        use()
        this.entries.push(entry)
      },
      exec: async (text) => {
        this.altered = true
        ask(() => writer.exec(text))
      },
      publish: async (topic, payload) => {
        use()
        this.publications.push({ topic, payload })
      },
      nested: async (work) => {
        use()
        const [failure, rows] = [this.#failure, this.rows]
        const [published, appended] = [this.publications.length, this.entries.length]
        const attempt = async () => {
          const value = await work(tx)
          if (this.#failure !== failure) throw this.#failure
          use()
          return value
        }
        try {
          if (!this.#work.hasSavepoints) return await attempt()
          return await savepoint({ writer, name: 'nested', isOpen }, attempt)
        } catch (error) {
          const isUndone = this.#work.hasSavepoints || this.rows === rows
          this.#failure = isUndone ? failure : new SavepointsNeeded()
          this.publications.length = published
          this.entries.length = appended
          throw error
        }
      },
    }
    return tx
  }
}

interface SavepointOptions {
  readonly writer: Connection
  /** A nested savepoint needs its own name, because a rollback goes back to the latest savepoint with that name. */
  readonly name: 'write' | 'nested'
  readonly isOpen: () => boolean
}

/**
 * Runs the work in a savepoint, which can be rolled back without the rest of its transaction. If the work ends after that
 * transaction, the savepoint must not touch the next one, which belongs to other writes.
 */
export const savepoint = async <T>(
  { writer, name, isOpen }: SavepointOptions,
  work: () => Promise<T>,
): Promise<T> => {
  writer.command(`SAVEPOINT ${name}`)
  try {
    const value = await work()
    if (!isOpen()) throw ended()
    writer.command(`RELEASE ${name}`)
    return value
  } catch (error) {
    if (isOpen()) undo(writer, name)
    throw error
  }
}

/** Rolls back the savepoint or, if that fails, the whole transaction. */
const undo = (writer: Connection, name: string) => {
  try {
    writer.command(`ROLLBACK TO ${name}`)
    writer.command(`RELEASE ${name}`)
  } catch {
    writer.command('ROLLBACK')
  }
}

const ended = () => storageUnavailable(new Error('the transaction has ended'))

const isSelect = /^\s*select\b/i

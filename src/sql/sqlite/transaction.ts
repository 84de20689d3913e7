import { storageUnavailable } from '#core/problem.ts'
import type { AlterTransaction } from '#sql/engine.ts'
import type { NestingTransaction } from '#sql/unit.ts'
import type { Connection } from './connection.ts'
import { refusal } from './errors.ts'
import { Pending } from './pending.ts'

export type LaneTransaction = NestingTransaction & AlterTransaction

type Work = (tx: LaneTransaction) => Promise<unknown>

/** A write of any number of statements. */
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
      const value = await Promise.race([this.#work(this.#transaction(writer, use, isOpen)), idle.promise])
      // The work may have ignored a failure.
      if (this.#failure) throw this.#failure
      use()
      return value
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
        const [failure, published, appended] = [this.#failure, this.publications.length, this.entries.length]
        const attempt = async () => {
          const value = await work(tx)
          if (this.#failure !== failure) throw this.#failure
          return value
        }
        try {
          return await savepoint({ writer, name: 'nested', isOpen }, attempt)
        } catch (error) {
          this.#failure = failure
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

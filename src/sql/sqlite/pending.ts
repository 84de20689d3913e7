import type { Publication } from '#sql/listeners.ts'
import type { Entry } from '#sql/log.ts'
import type { Query } from '#sql/query.ts'
import type { Connection } from './connection.ts'
import { refusal } from './errors.ts'

/** A write that a caller waits for, and what it changed. */
export abstract class Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  value: unknown
  /** Why it alone failed. */
  refused: unknown
  readonly keys: string[] = []
  readonly publications: Publication[] = []
  readonly entries: Entry[] = []
  changedUnnamed = false
  rows = 0
  altered = false

  constructor(resolve: Pending['resolve'], reject: Pending['reject']) {
    this.resolve = resolve
    this.reject = reject
  }

  /** Answers its caller. */
  settle() {
    if (this.refused === undefined) this.resolve(this.value)
    else this.reject(this.refused)
  }

  protected touched({ keys, text }: Query, writer: Connection, rows: number) {
    this.rows += rows
    // Then everything is forgotten, and a migration may touch every record.
    if (this.altered) return
    if (keys.length === 0 || writer.mayCascade(text)) this.changedUnnamed = true
    this.keys.push(...keys)
  }
}

/** A write of one statement. If it fails, SQLite rolls back only that statement, so it needs no savepoint. */
export class Statement extends Pending {
  readonly #query: Query
  readonly #entry: Entry | undefined

  /** The entry is entered if the statement changes something. */
  constructor(
    { query, entry }: { readonly query: Query; readonly entry: Entry | undefined },
    resolve: Pending['resolve'],
    reject: Pending['reject'],
  ) {
    super(resolve, reject)
    this.#query = query
    this.#entry = entry
  }

  run(writer: Connection): number {
    try {
      const changes = writer.run(this.#query)
      if (changes === 0) return changes
      this.touched(this.#query, writer, changes)
      if (this.#entry) this.entries.push(this.#entry)
      return changes
    } catch (error) {
      throw refusal(error)
    }
  }
}

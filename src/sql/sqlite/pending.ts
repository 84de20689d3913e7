import type { Publication } from '#sql/listeners.ts'
import type { LogEntry } from '#sql/log-table.ts'
import type { Query } from '#sql/query.ts'
import type { Connection } from './connection.ts'
import { refusal } from './errors.ts'

/** A write with a waiting caller, and what it changed. */
export abstract class Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  value: unknown
  /** The reason if this write failed alone. */
  refused: unknown
  readonly keys: string[] = []
  readonly publications: Publication[] = []
  readonly entries: LogEntry[] = []
  changedUnnamed = false
  rows = 0
  altered = false

  constructor(resolve: Pending['resolve'], reject: Pending['reject']) {
    this.resolve = resolve
    this.reject = reject
  }

  settle() {
    if (this.refused === undefined) this.resolve(this.value)
    else this.reject(this.refused)
  }

  protected touched({ keys, text }: Query, writer: Connection, rows: number) {
    this.rows += rows
    // The caches will be cleared, and a migration may touch every record, so do not collect keys.
    if (this.altered) return
    if (keys.length === 0 || writer.mayCascade(text)) this.changedUnnamed = true
    this.keys.push(...keys)
  }
}

/** A write of one statement. It needs no savepoint, because SQLite rolls back a failed statement alone. */
export class Statement extends Pending {
  readonly #query: Query
  readonly #entry: LogEntry | undefined

  /** Appends the entry if the statement changes a row. */
  constructor(
    { query, entry }: { readonly query: Query; readonly entry: LogEntry | undefined },
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

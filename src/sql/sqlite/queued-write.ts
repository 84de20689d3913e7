import type { Publication } from '#sql/listeners.ts'
import type { LogEntry } from '#sql/log-table.ts'
import type { Query } from '#sql/query.ts'
import type { Connection } from './connection.ts'
import { toRefusal } from './errors.ts'

/** A write whose caller waits, with the changes that it made. */
export abstract class QueuedWrite {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  value: unknown
  /** Set if this write failed but not its whole group. */
  ownError: unknown
  readonly changedKeys: string[] = []
  readonly publications: Publication[] = []
  readonly entries: LogEntry[] = []
  mayChangeAnyRecord = false
  changedRows = 0
  hasAlteredTables = false

  constructor(resolve: QueuedWrite['resolve'], reject: QueuedWrite['reject']) {
    this.resolve = resolve
    this.reject = reject
  }

  settle() {
    if (this.ownError === undefined) this.resolve(this.value)
    else this.reject(this.ownError)
  }

  protected recordChange({ keys, text }: Query, writer: Connection, rows: number) {
    this.changedRows += rows
    // After a change of tables, the caches are cleared. A migration may change all records, so their keys are not collected.
    if (this.hasAlteredTables) return
    if (keys.length === 0 || writer.mayCascade(text)) this.mayChangeAnyRecord = true
    this.changedKeys.push(...keys)
  }
}

/** A write of one statement. If it fails, SQLite rolls back only this statement, so it needs no savepoint. */
export class QueuedStatement extends QueuedWrite {
  readonly #query: Query
  readonly #entry: LogEntry | undefined

  /** `entry` is appended to the log if the statement changes a row. */
  constructor(
    { query, entry }: { readonly query: Query; readonly entry: LogEntry | undefined },
    resolve: QueuedWrite['resolve'],
    reject: QueuedWrite['reject'],
  ) {
    super(resolve, reject)
    this.#query = query
    this.#entry = entry
  }

  run(writer: Connection): number {
    try {
      const changes = writer.run(this.#query)
      if (changes === 0) return changes
      this.recordChange(this.#query, writer, changes)
      if (this.#entry) this.entries.push(this.#entry)
      return changes
    } catch (error) {
      throw toRefusal(error)
    }
  }
}

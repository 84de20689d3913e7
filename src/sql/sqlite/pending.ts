import type { Publication } from '#sql/listeners.ts'
import type { Query } from '#sql/query.ts'
import type { Connection } from './connection.ts'
import { refusal } from './errors.ts'

/** What somebody wants written and waits for, and what it did. */
export abstract class Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  value: unknown
  readonly keys = new Set<string>()
  readonly publications: Publication[] = []
  changedUnnamed = false
  statements = 0
  altered = false

  constructor(resolve: Pending['resolve'], reject: Pending['reject']) {
    this.resolve = resolve
    this.reject = reject
  }

  protected touched({ keys }: Query) {
    this.statements++
    if (keys.length === 0) this.changedUnnamed = true
    for (const key of keys) this.keys.add(key)
  }
}

/** One statement. Should it fail, SQLite undoes it and nothing else: it needs no savepoint. */
export class Statement extends Pending {
  readonly #query: Query

  constructor(query: Query, resolve: Pending['resolve'], reject: Pending['reject']) {
    super(resolve, reject)
    this.#query = query
  }

  run(writer: Connection): number {
    try {
      const changes = writer.run(this.#query)
      if (changes > 0) this.touched(this.#query)
      return changes
    } catch (error) {
      throw refusal(error)
    }
  }
}

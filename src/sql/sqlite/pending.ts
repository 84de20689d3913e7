import type { Publication } from '#sql/listeners.ts'
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
  changedUnnamed = false
  statements = 0
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

  protected touched({ keys, tells, text }: Query, writer: Connection) {
    this.statements++
    if (tells !== undefined) this.publications.push({ topic: tells, payload: '' })
    // Then everything is forgotten, and a migration may touch every record.
    if (this.altered) return
    if (keys.length === 0 || writer.mayCascade(text)) this.changedUnnamed = true
    this.keys.push(...keys)
  }
}

/** A statement, and the one that runs if it changes something. */
export type Statements = readonly [query: Query, then: Query | undefined]

/** A write of one statement. If it fails, SQLite rolls back only that statement, so it needs no savepoint. */
export class Statement extends Pending {
  readonly #query: Query
  readonly #then: Query | undefined

  constructor([query, then]: Statements, resolve: Pending['resolve'], reject: Pending['reject']) {
    super(resolve, reject)
    this.#query = query
    this.#then = then
  }

  run(writer: Connection): number {
    try {
      const changes = writer.run(this.#query)
      if (changes === 0) return changes
      this.touched(this.#query, writer)
      if (this.#then) this.#runThen(writer, this.#then)
      return changes
    } catch (error) {
      throw refusal(error)
    }
  }

  /** Without it the first statement must not stay either, so the whole group is rolled back. */
  #runThen(writer: Connection, then: Query) {
    try {
      writer.run(then)
    } catch (error) {
      if (writer.inTransaction()) writer.command('ROLLBACK')
      throw error
    }
    this.touched(then, writer)
  }
}

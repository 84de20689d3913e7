import type { Make } from '#sql/database.ts'
import type { Value } from '#sql/query.ts'
import { type Columns, madeAt, NotMade, noColumns, rowAt } from './columns.ts'

/** What the server answered to a statement. */
export interface Result<T> {
  readonly rows: readonly T[]
  /** As `INSERT 0 1`. */
  readonly tag: string
}

export interface Wanted<T> {
  /** As the server wants it, its parameters `$1`, `$2` and so on. */
  readonly text: string
  readonly values: readonly Value[]
  /** What is made of the same row is kept, and given again. */
  readonly make?: Make<T> | undefined
  /** It changes nothing: asked again when something before it in the same batch was refused. */
  readonly isRepeatable?: boolean | undefined
  readonly limitMs: number
}

/** One that the server knows by a name, once it has parsed it. */
export interface Statement {
  readonly name: string
  readonly batch: number
  isParsed: boolean
  columns: Columns
}

/** A statement whose answer is waited for. */
export class Asked {
  readonly wanted: Wanted<unknown>
  /** Undefined: it was sent as it stands. */
  readonly statement: Statement | undefined
  readonly askedAt = performance.now()
  readonly dueAt: number
  /** How often it was planned anew. */
  plans = 0
  columns: Columns
  readonly resolve: (answer: Result<unknown>) => void
  readonly reject: (error: unknown) => void
  #rows: unknown[] = []
  #tag = ''
  #notMade: NotMade | undefined

  constructor(wanted: Wanted<unknown>, statement: Statement | undefined, settle: Settle) {
    this.wanted = wanted
    this.statement = statement
    this.columns = statement?.columns ?? noColumns
    this.resolve = settle.resolve
    this.reject = settle.reject
    this.dueAt = this.askedAt + wanted.limitMs
  }

  row(bytes: Buffer, from: number, to: number) {
    try {
      this.#rows.push(this.#made(bytes, from, to))
    } catch (error) {
      // A torn row ends the connection; one of which nothing can be made is told to whoever asked alone.
      if (!(error instanceof NotMade)) throw error
      this.#notMade = error
    }
  }

  #made(bytes: Buffer, from: number, to: number) {
    const columns = this.statement?.columns ?? this.columns
    const { make } = this.wanted
    return make ? madeAt(columns, make, [bytes, from, to]) : rowAt(columns, bytes, from)
  }

  /** Of several statements the last answers. */
  described(columns: Columns) {
    this.columns = columns
    this.#rows = []
  }

  done(tag: string) {
    this.#tag = tag
  }

  succeed() {
    if (this.#notMade) this.reject(this.#notMade.cause)
    else this.resolve({ rows: this.#rows, tag: this.#tag })
  }
}

export interface Settle {
  readonly resolve: (answer: Result<unknown>) => void
  readonly reject: (error: unknown) => void
}

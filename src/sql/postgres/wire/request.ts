import type { Make } from '#sql/database.ts'
import type { Value } from '#sql/query.ts'
import { type Columns, MakeFailed, madeAt, noColumns, rowAt } from './columns.ts'

/** The server's answer to a statement. */
export interface Result<T> {
  readonly rows: readonly T[]
  /** Such as `INSERT 0 1`. */
  readonly tag: string
  /** The last one that the server sent while it ran the statement. */
  readonly warning: string | undefined
}

export interface Request<T> {
  /** As the server requires it, with parameters `$1`, `$2` and so on. */
  readonly text: string
  readonly values: readonly Value[]
  /** Its result for a row is cached, and reused for an equal row. */
  readonly make?: Make<T> | undefined
  /** It changes nothing, so it is sent again if an earlier statement in its batch is refused. */
  readonly isRepeatable?: boolean | undefined
  readonly limitMs: number
}

/** A prepared statement, which can be used by its name once the server has parsed and described it. */
export interface Statement {
  readonly name: string
  readonly batch: number
  isPrepared: boolean
  columns: Columns
}

/** A statement whose answer is waited for. */
export class PendingRequest {
  readonly request: Request<unknown>
  /** Undefined if the text was sent verbatim. */
  readonly statement: Statement | undefined
  readonly sentAt = performance.now()
  readonly dueAt: number
  /** How many times it was planned anew. */
  plans = 0
  columns: Columns
  warning: string | undefined
  readonly resolve: (answer: Result<unknown>) => void
  readonly reject: (error: unknown) => void
  #rows: unknown[] = []
  #tag = ''
  #makeFailure: MakeFailed | undefined

  constructor(request: Request<unknown>, statement: Statement | undefined, settle: Settle) {
    this.request = request
    this.statement = statement
    this.columns = statement?.columns ?? noColumns
    this.resolve = settle.resolve
    this.reject = settle.reject
    this.dueAt = this.sentAt + request.limitMs
  }

  row(bytes: Buffer, from: number, to: number) {
    try {
      this.#rows.push(this.#made(bytes, from, to))
    } catch (error) {
      // A malformed row ends the connection; a row on which `make` fails rejects only this request.
      if (!(error instanceof MakeFailed)) throw error
      this.#makeFailure = error
    }
  }

  #made(bytes: Buffer, from: number, to: number) {
    const columns = this.statement?.columns ?? this.columns
    const { make } = this.request
    return make ? madeAt(columns, make, [bytes, from, to]) : rowAt(columns, bytes, from)
  }

  /** Of several statements, only the last one's rows count. */
  described(columns: Columns) {
    this.columns = columns
    this.#rows = []
  }

  done(tag: string) {
    this.#tag = tag
  }

  succeed() {
    if (this.#makeFailure) this.reject(this.#makeFailure.cause)
    else this.resolve({ rows: this.#rows, tag: this.#tag, warning: this.warning })
  }
}

export interface Settle {
  readonly resolve: (answer: Result<unknown>) => void
  readonly reject: (error: unknown) => void
}

import type { RowMapper } from '#sql/database.ts'
import type { Value } from '#sql/query.ts'
import { type Columns, noColumns, objectAt, RowMappingError, rowAt } from './columns.ts'
import type { Statement } from './statements.ts'

export interface Result<T> {
  readonly rows: readonly T[]
  /** For example `INSERT 0 1`. */
  readonly tag: string
  /** The last warning that the server sent during the statement. */
  readonly warning: string | undefined
}

export interface Request<T> {
  /** With parameters `$1`, `$2` and so on. */
  readonly text: string
  readonly values: readonly Value[]
  /** Makes an object from a row. Equal rows may share one cached object. */
  readonly mapRow?: RowMapper<T> | undefined
  readonly limitMs: number
}

export interface Settle {
  readonly resolve: (answer: Result<unknown>) => void
  readonly reject: (error: unknown) => void
  readonly timedOut: () => void
}

export class PendingRequest {
  /** Undefined if the text was sent without preparing a statement. */
  readonly statement: Statement | undefined
  readonly #request: Request<unknown>
  readonly #settle: Settle
  readonly #timer: NodeJS.Timeout | undefined
  #columns = noColumns
  #rows: unknown[] = []
  #tag = ''
  #warning: string | undefined
  #failure: unknown

  constructor(request: Request<unknown>, statement: Statement | undefined, settle: Settle) {
    this.#request = request
    this.statement = statement
    this.#settle = settle
    if (Number.isFinite(request.limitMs)) this.#timer = setTimeout(settle.timedOut, request.limitMs).unref()
  }

  row(bytes: Buffer, from: number, to: number) {
    try {
      this.#rows.push(this.#made(bytes, from, to))
    } catch (error) {
      // A malformed row ends the connection. If `mapRow` fails on a row, only this request fails.
      if (!(error instanceof RowMappingError)) throw error
      this.#failure = error.cause
    }
  }

  #made(bytes: Buffer, from: number, to: number) {
    const columns = this.statement?.columns ?? this.#columns
    const { mapRow } = this.#request
    return mapRow ? objectAt(columns, mapRow, [bytes, from, to]) : rowAt(columns, bytes, from)
  }

  /** A statement begins to answer. The rows of earlier statements in the same text are dropped. */
  described(columns: Columns) {
    if (this.statement) this.statement.columns = columns
    this.#columns = columns
    this.#rows = []
  }

  done(tag: string) {
    this.#tag = tag
  }

  noticed({ S, V = S, C, M }: Readonly<Record<string, string>>) {
    if (V === 'WARNING') this.#warning = `${C} ${M}`
  }

  refused(error: unknown) {
    this.#failure = error
  }

  /** Call when the answer is complete. */
  end() {
    if (this.#failure !== undefined) return this.fail(this.#failure)
    clearTimeout(this.#timer)
    this.#settle.resolve({ rows: this.#rows, tag: this.#tag, warning: this.#warning })
  }

  fail(error: unknown) {
    clearTimeout(this.#timer)
    this.#settle.reject(error)
  }
}

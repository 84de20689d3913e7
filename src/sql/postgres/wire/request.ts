import type { RowMapper } from '#sql/database.ts'
import type { Value } from '#sql/query.ts'
import { type Columns, mappedRowAt, noColumns, RowMappingError, rowAt } from './columns.ts'
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
  /** Turns a row into an object. Equal rows may share one cached object. */
  readonly mapRow?: RowMapper<T> | undefined
  readonly limitMs: number
}

export interface Settle {
  readonly resolve: (answer: Result<unknown>) => void
  readonly reject: (error: unknown) => void
  readonly onTimeout: () => void
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
  #error: unknown

  constructor(request: Request<unknown>, statement: Statement | undefined, settle: Settle) {
    this.#request = request
    this.statement = statement
    this.#settle = settle
    if (Number.isFinite(request.limitMs)) this.#timer = setTimeout(settle.onTimeout, request.limitMs).unref()
  }

  addRow(bytes: Buffer, from: number, to: number) {
    try {
      this.#rows.push(this.#mapRow(bytes, from, to))
    } catch (error) {
      // A malformed row ends the connection. If `mapRow` fails on a row, only this request fails.
      if (!(error instanceof RowMappingError)) throw error
      this.#error = error.cause
    }
  }

  #mapRow(bytes: Buffer, from: number, to: number) {
    const columns = this.statement?.columns ?? this.#columns
    const { mapRow } = this.#request
    return mapRow ? mappedRowAt(columns, mapRow, [bytes, from, to]) : rowAt(columns, bytes, from)
  }

  /** Called when the answer of a statement begins. Drops the rows of earlier statements in the same text. */
  setColumns(columns: Columns) {
    if (this.statement) this.statement.columns = columns
    this.#columns = columns
    this.#rows = []
  }

  setTag(tag: string) {
    this.#tag = tag
  }

  addNotice({ S, V = S, C, M }: Readonly<Record<string, string>>) {
    if (V === 'WARNING') this.#warning = `${C} ${M}`
  }

  setError(error: unknown) {
    this.#error = error
  }

  /** Call when the answer is complete. */
  complete() {
    if (this.#error !== undefined) return this.reject(this.#error)
    clearTimeout(this.#timer)
    this.#settle.resolve({ rows: this.#rows, tag: this.#tag, warning: this.#warning })
  }

  reject(error: unknown) {
    clearTimeout(this.#timer)
    this.#settle.reject(error)
  }
}

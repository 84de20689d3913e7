/** Runs scans and streams, and answers each question with one batch. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Value } from '#sql/query.ts'
import { answerWith, databasePath } from './answering.ts'
import { bound } from './connection.ts'

interface Opening {
  readonly id: number
  readonly ask: 'scan' | 'stream'
  readonly text: string
  readonly values: readonly Value[]
}

export type ReaderQuestion = Opening | { readonly id: number; readonly ask: 'next' | 'end' }

/** Rows by column, the cheapest form to send to another thread. */
export interface Batch {
  readonly names: readonly string[]
  readonly columns: readonly (readonly Value[])[]
  readonly size: number
  readonly isLast: boolean
}

interface Open {
  readonly database: DatabaseSync
  readonly statement: StatementSync
  readonly rows: Iterator<readonly Value[]>
}

/** The first batch can hold a whole short list. Later ones are small, so that receiving one takes little time. */
const maxRows = { scan: Number.POSITIVE_INFINITY, stream: 500, next: 64 }
const cacheKiB = 1_024
const busyMs = 1_000

const open = new Map<number, Open>()
const idle: DatabaseSync[] = []

answerWith<ReaderQuestion, Batch>((question) => {
  try {
    return answer(question)
  } catch (error) {
    end(question.id)
    throw error
  }
})

const answer = (question: ReaderQuestion): Batch | undefined => {
  if (question.ask === 'end') {
    end(question.id)
    return
  }
  if ('text' in question) begin(question)
  return next(question.id, maxRows[question.ask])
}

/** Each running statement has its own connection, because it holds its own snapshot. */
const begin = ({ id, text, values }: Opening) => {
  const database = idle.pop() ?? connect()
  try {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    open.set(id, { database, statement, rows: rowsOf(statement, values) })
  } catch (error) {
    idle.push(database)
    throw error
  }
}

const connect = () => {
  const database = new DatabaseSync(databasePath(), { readOnly: true, timeout: busyMs })
  database.exec(`PRAGMA cache_size = -${cacheKiB}`)
  return database
}

const rowsOf = (statement: StatementSync, values: readonly Value[]) =>
  statement.iterate(...bound(values)) as unknown as Iterator<readonly Value[]>

const next = (id: number, limit: number): Batch => {
  const running = open.get(id)
  if (!running) throw new Error('the stream has ended')
  const { statement, rows } = running
  let row = rows.next()
  // The connection knows the current schema only after the first row.
  const names = statement.columns().map((column) => column.name)
  const columns: Value[][] = names.map(() => [])
  let size = 0
  for (; !row.done; row = rows.next()) {
    for (let index = 0; index < columns.length; index++) columns[index]?.push(row.value[index] as Value)
    if (++size === limit) return { names, columns, size, isLast: false }
  }
  end(id)
  return { names, columns, size, isLast: true }
}

const end = (id: number) => {
  const running = open.get(id)
  if (!running) return
  open.delete(id)
  running.rows.return?.()
  idle.push(running.database)
}

/** Runs scans and streams, and answers each question with one batch. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Value } from '#sql/query.ts'
import { toSqliteValues } from './connection.ts'
import { answerQuestions, databasePath } from './thread-worker.ts'

interface StartQuestion {
  readonly id: number
  readonly command: 'scan' | 'stream'
  readonly text: string
  readonly values: readonly Value[]
}

export type ReaderQuestion = StartQuestion | { readonly id: number; readonly command: 'next' | 'end' }

/** Rows, stored column by column: the cheapest form to send to another thread. */
export interface Batch {
  readonly names: readonly string[]
  readonly columns: readonly (readonly Value[])[]
  readonly size: number
  readonly isLast: boolean
}

interface RunningStatement {
  readonly database: DatabaseSync
  readonly statement: StatementSync
  readonly rows: Iterator<readonly Value[]>
}

/** The number of rows in a batch. The first batch of a stream can hold a whole short list. Later batches are small, so the main thread receives them quickly. */
const maxRows = { scan: Number.POSITIVE_INFINITY, stream: 500, next: 64 }
const cacheKiB = 1_024
const busyMs = 1_000

const runningStatements = new Map<number, RunningStatement>()
const idleConnections: DatabaseSync[] = []

answerQuestions<ReaderQuestion, Batch>((question) => {
  try {
    return answerTo(question)
  } catch (error) {
    end(question.id)
    throw error
  }
})

const answerTo = (question: ReaderQuestion): Batch | undefined => {
  if (question.command === 'end') {
    end(question.id)
    return
  }
  if ('text' in question) begin(question)
  return next(question.id, maxRows[question.command])
}

/** Starts a statement on a connection of its own, because each running statement reads a snapshot of its own. */
const begin = ({ id, text, values }: StartQuestion) => {
  const database = idleConnections.pop() ?? connect()
  try {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    runningStatements.set(id, { database, statement, rows: rowsOf(statement, values) })
  } catch (error) {
    idleConnections.push(database)
    throw error
  }
}

const connect = () => {
  const database = new DatabaseSync(databasePath(), { readOnly: true, timeout: busyMs })
  database.exec(`PRAGMA cache_size = -${cacheKiB}`)
  return database
}

const rowsOf = (statement: StatementSync, values: readonly Value[]) =>
  statement.iterate(...toSqliteValues(values)) as unknown as Iterator<readonly Value[]>

const next = (id: number, limit: number): Batch => {
  const running = runningStatements.get(id)
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
  const running = runningStatements.get(id)
  if (!running) return
  runningStatements.delete(id)
  running.rows.return?.()
  idleConnections.push(running.database)
}

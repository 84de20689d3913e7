import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { Row } from '#sql/database.ts'
import type { Query, Value } from '#sql/query.ts'

const statementLimit = 500
const cacheKiB = 16_384

interface ConnectionOptions {
  /** False where a crash may lose everything anyway. */
  readonly durable: boolean
  readonly readOnly?: boolean
}

export type Connection = ReturnType<typeof connection>

/** One connection with its prepared statements. Every call answers before it returns; none waits for a lock. */
export const connection = (path: string, { durable, readOnly = false }: ConnectionOptions) => {
  const database = new DatabaseSync(path, { readOnly, timeout: 0 })
  const statements = new Map<string, Statement>()
  database.exec(`PRAGMA cache_size = -${cacheKiB}`)
  database.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'OFF'}`)
  // Where a plain fsync does not reach the disk (macOS), ask for more.
  database.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')

  const prepare = (text: string) => {
    const known = statements.get(text)
    if (known) return known
    if (statements.size >= statementLimit) forgetOldest(statements)
    const made = statement(database, text)
    statements.set(text, made)
    return made
  }

  return {
    rows(query: Query): Row[] {
      const statement = prepare(query.text)
      statement.prepared.setReadBigInts(false)
      const rows = statement.prepared.all(...bound(query.values)) as unknown as Value[][]
      // Not before it ran once: only then the connection has seen the tables as they are now.
      statement.names ??= statement.prepared.columns().map((column) => column.name)
      const { names } = statement
      return rows.map((values) => rowOf(names, values))
    },

    /** How many rows it changed. */
    run: (query: Query) => Number(counting(prepare(query.text)).run(...bound(query.values)).changes),

    /** One statement without parameters that is said again and again. */
    say: (text: string) => void counting(prepare(text)).run(),

    /** Several statements as they stand. They may change tables, so no prepared statement outlives them. */
    exec(text: string) {
      statements.clear()
      database.exec(text)
    },

    inTransaction: () => database.isTransaction,

    forgetStatements: () => statements.clear(),

    close: () => database.close(),
  }
}

export const rowOf = (names: readonly string[], values: readonly Value[]): Row => {
  const row: Record<string, Value> = {}
  for (let index = 0; index < names.length; index++) row[names[index] as string] = values[index] as Value
  return row
}

/** SQLite has no booleans. */
export const bound = (values: readonly Value[]): SQLInputValue[] =>
  values.map((value) => (typeof value === 'boolean' ? Number(value) : value))

interface Statement {
  readonly prepared: StatementSync
  names: readonly string[] | undefined
}

const statement = (database: DatabaseSync, text: string): Statement => {
  const prepared = database.prepare(text)
  prepared.setReturnArrays(true)
  return { prepared, names: undefined }
}

/** For a run, which tells the last row id too: a full-text index makes it larger than any safe number. */
const counting = ({ prepared }: Statement) => {
  prepared.setReadBigInts(true)
  return prepared
}

const forgetOldest = (statements: Map<string, Statement>) => {
  const [oldest] = statements.keys()
  if (oldest !== undefined) statements.delete(oldest)
}

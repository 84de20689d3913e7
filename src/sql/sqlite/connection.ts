import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { storageUnavailable } from '#core/problem.ts'
import type { Row } from '#sql/database.ts'
import type { Query, Value } from '#sql/query.ts'

const statementLimit = 500
const cacheKiB = 16_384

interface ConnectionOptions {
  /** False for a temporary database. */
  readonly durable: boolean
  readonly readOnly?: boolean
}

export type Connection = ReturnType<typeof connection>

/** A connection with its prepared statements. All calls are synchronous. None waits for a lock. */
export const connection = (path: string, options: ConnectionOptions) => {
  let database = openDatabase(path, options)
  const statements = new Map<string, Statement>()
  let cascadePattern: RegExp | undefined

  const prepare = (text: string) => {
    const existing = statements.get(text)
    if (existing) return existing
    if (!database.isOpen) throw storageUnavailable(new Error('the database is closed'))
    if (statements.size >= statementLimit) forgetOldest(statements)
    const prepared = prepareStatement(database, text)
    statements.set(text, prepared)
    return prepared
  }

  const forgetTables = () => {
    statements.clear()
    cascadePattern = undefined
  }

  const close = () => {
    forgetTables()
    if (database.isOpen) database.close()
  }

  return {
    rows(query: Query): Row[] {
      const statement = prepare(query.text)
      statement.prepared.setReadBigInts(false)
      const rows = statement.prepared.all(...toSqliteValues(query.values)) as unknown as Value[][]
      // The connection knows the current schema only after the first run.
      statement.names ??= statement.prepared.columns().map((column) => column.name)
      const { names } = statement
      return rows.map((values) => rowOf(names, values))
    },

    /** Returns the number of changed rows. */
    run: (query: Query) =>
      Number(readingBigInts(prepare(query.text)).run(...toSqliteValues(query.values)).changes),

    /** Runs a frequently used statement without parameters. */
    command: (text: string) => void readingBigInts(prepare(text)).run(),

    /** Runs one or more statements verbatim. Discards the prepared statements, because tables may change. */
    exec(text: string) {
      forgetTables()
      database.exec(text)
    },

    inTransaction: () => database.isOpen && database.isTransaction,

    forgetTables,

    /** True if this statement may also change other records, by a foreign key action. */
    mayCascade(text: string) {
      cascadePattern ??= cascadePatternOf(database)
      return cascadePattern.test(text)
    },

    close,

    reopen() {
      close()
      database = openDatabase(path, options)
    },
  }
}

export const rowOf = (names: readonly string[], values: readonly Value[]): Row => {
  const row: Record<string, Value> = {}
  for (let index = 0; index < names.length; index++) row[names[index] as string] = values[index] as Value
  return row
}

/** SQLite has no booleans, so they become numbers. */
export const toSqliteValues = (values: readonly Value[]): SQLInputValue[] =>
  values.map((value) => (typeof value === 'boolean' ? Number(value) : value))

/** Fails if the file is no database, because the first PRAGMA reads the file. */
const openDatabase = (path: string, { durable, readOnly = false }: ConnectionOptions) => {
  const database = new DatabaseSync(path, { readOnly, timeout: 0 })
  try {
    database.exec(`PRAGMA cache_size = -${cacheKiB}`)
    database.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'OFF'}`)
    database.exec('PRAGMA secure_delete = ON')
    // On macOS a plain fsync does not reach the disk.
    database.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Matches the beginning of every statement that may trigger a foreign key action. */
const cascadePatternOf = (database: DatabaseSync): RegExp => {
  const beginningsOf = (statement: string, action: string) =>
    database
      .prepare(
        `SELECT DISTINCT "table" AS name FROM sqlite_schema JOIN pragma_foreign_key_list(sqlite_schema.name)
         WHERE type = 'table' AND ${action} IN ('CASCADE', 'SET NULL', 'SET DEFAULT')`,
      )
      .all()
      .map(({ name }) => `${statement}\\s+"?${name}\\b`)
  const beginnings = [...beginningsOf('DELETE\\s+FROM', 'on_delete'), ...beginningsOf('UPDATE', 'on_update')]
  return beginnings.length === 0 ? matchesNothing : new RegExp(`^\\s*(?:${beginnings.join('|')})`, 'i')
}

const matchesNothing = /(?!)/

interface Statement {
  readonly prepared: StatementSync
  names: readonly string[] | undefined
}

const prepareStatement = (database: DatabaseSync, text: string): Statement => {
  const prepared = database.prepare(text)
  prepared.setReturnArrays(true)
  return { prepared, names: undefined }
}

/** `run` also returns the last row id, which can exceed the safe integers in a full-text index. So integers are read as BigInts. */
const readingBigInts = ({ prepared }: Statement) => {
  prepared.setReadBigInts(true)
  return prepared
}

const forgetOldest = (statements: Map<string, Statement>) => {
  const [oldest] = statements.keys()
  if (oldest !== undefined) statements.delete(oldest)
}

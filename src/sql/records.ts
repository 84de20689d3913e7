import type { Database, Row, Transaction } from './database.ts'
import { join, type Query, raw, sql, type Value } from './query.ts'

/** One record as it is kept, in values that are the same on every engine. */
export type Kept = Readonly<Record<string, Value>>

/** All records of one kind, for those who copy them. */
export interface Records {
  /** What they are called, such as `members`. */
  readonly name: string
  count(): Promise<number>
  /** All of them in batches, out of one snapshot, in an order that a copy keeps. */
  stream(): AsyncIterable<readonly Kept[]>
  /** Writes those that nothing stands against, in one transaction, and says of each whether it was written. */
  insert(records: readonly Kept[]): Promise<readonly boolean[]>
}

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** The column that names a row, and orders them. */
  readonly key: string
  /** Columns that are true or false, where an engine knows but numbers. */
  readonly flags?: readonly string[]
}

/** The rows of a table that nothing else follows from. */
export const tableRecords = (db: Database, table: Table): Records => {
  const columns = raw(table.columns.join(', '))
  const name = raw(table.name)
  const make = (row: Row): Kept =>
    Object.fromEntries(table.columns.map((column) => [column, columnOf(row, column, table.flags ?? [])]))
  return {
    name: table.name,
    count: async () => (await db.scan(sql`SELECT count(*) AS total FROM ${name}`, toTotal))[0] ?? 0,
    stream: () => db.stream(sql`SELECT ${columns} FROM ${name} ORDER BY ${raw(table.key)}`, make),
    insert: (records) =>
      db.write(async (tx) => {
        const written: boolean[] = []
        for (const record of records) written.push(await insertOne(tx, { name, columns, table, record }))
        return written
      }),
  }
}

const columnOf = (row: Row, column: string, flags: readonly string[]): Value =>
  flags.includes(column) ? Boolean(row[column]) : (row[column] ?? null)

interface Insertion {
  readonly name: Query
  readonly columns: Query
  readonly table: Table
  readonly record: Kept
}

const insertOne = async (tx: Transaction, { name, columns, table, record }: Insertion) => {
  const values = join(
    table.columns.map((column) => sql`${record[column] ?? null}`),
    ', ',
  )
  const inserted = await tx.run(
    sql`INSERT INTO ${name} (${columns}) VALUES (${values}) ON CONFLICT DO NOTHING`,
  )
  return inserted === 1
}

const toTotal = (row: Row) => Number(row.total)

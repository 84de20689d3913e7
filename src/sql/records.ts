import { checksum } from './checksum.ts'
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

/** One that has a checksum of each row. */
export interface Table {
  readonly name: string
  /** Without the checksum, which is of these in this order. */
  readonly columns: readonly string[]
  /** The column that names a row, and orders them. */
  readonly key: string
  /** Columns that are true or false, where an engine knows but numbers. */
  readonly flags?: readonly string[]
}

/** The rows of a table. */
export const tableRecords = (db: Database, table: Table): Records => {
  const columns = raw(table.columns.join(', '))
  const name = raw(table.name)
  const make = (row: Row): Kept =>
    Object.fromEntries(table.columns.map((column) => [column, columnOf(row, column, table.flags ?? [])]))
  return {
    name: table.name,
    count: async () => (await db.scan(sql`SELECT count(*) AS total FROM ${name}`, toTotal))[0] ?? 0,
    stream: () => db.stream(sql`SELECT ${columns} FROM ${name} ORDER BY ${raw(table.key)}`, make),
    // One does not wait for the other: what is asked goes to the database in one stream.
    insert: (records) =>
      db.write((tx) => Promise.all(records.map((record) => insertOne(tx, { name, columns, table, record })))),
  }
}

/** Versions are counted from 1. */
export const isVersion = (version: number) => Number.isSafeInteger(version) && version > 0

/** What is said of a row whose checksum is another than that of its values. */
export const otherThanWritten = 'it is not as it was written: its checksum is another'

/** What is wrong with which record. */
export interface Finding {
  readonly what: string
  readonly id: string
  readonly says: string
}

/** The rows whose checksum is another than that of their values. */
export async function* notAsWritten(db: Database, { name, columns, key }: Table): AsyncGenerator<Finding> {
  const all = raw(`SELECT ${columns.join(', ')}, checksum FROM ${name} ORDER BY ${key}`)
  const isWrong = (row: Row) =>
    checksum(columns.map((column) => row[column] ?? null)) !== Number(row.checksum)
  const wrongKey = (row: Row) => (isWrong(row) ? String(row[key]) : undefined)
  for await (const batch of db.stream(all, wrongKey))
    for (const id of batch) if (id !== undefined) yield { what: name, id, says: otherThanWritten }
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
  const values = table.columns.map((column) => record[column] ?? null)
  const parameters = join(
    [...values, checksum(values)].map((value) => sql`${value}`),
    ', ',
  )
  const inserted = await tx.run(
    sql`INSERT INTO ${name} (${columns}, checksum) VALUES (${parameters}) ON CONFLICT DO NOTHING`,
  )
  return inserted === 1
}

const toTotal = (row: Row) => Number(row.total)

import { checksum } from './checksum.ts'
import type { Database, Row, Transaction } from './database.ts'
import { join, type Query, raw, sql, type Value } from './query.ts'

/** One record as stored, in values that are the same on every engine. */
export type StoredRecord = Readonly<Record<string, Value>>

/** All records of one kind, for copying. */
export interface Records {
  /** Such as `members`. */
  readonly name: string
  count(): Promise<number>
  /** All of them in batches, from one snapshot, in an order that a copy preserves. */
  stream(): AsyncIterable<readonly StoredRecord[]>
  /** Writes those without a conflict, in one transaction. Returns for each whether it was written. */
  insert(records: readonly StoredRecord[]): Promise<readonly boolean[]>
}

/** A table, by default with a checksum in each row. */
export interface Table {
  readonly name: string
  /** All columns but the checksum, in the order in which it covers them. */
  readonly columns: readonly string[]
  /** The column that identifies and orders the rows. */
  readonly key: string
  /** Boolean columns, which SQLite stores as numbers. */
  readonly flags?: readonly string[]
  /** Whether its rows have no checksum. */
  readonly isUnchecked?: true
}

/** The rows of a table. */
export const tableRecords = (db: Database, table: Table): Records => {
  const columns = raw(table.columns.join(', '))
  const written = table.isUnchecked ? columns : sql`${columns}, checksum`
  const name = raw(table.name)
  const make = (row: Row): StoredRecord =>
    Object.fromEntries(table.columns.map((column) => [column, columnOf(row, column, table.flags ?? [])]))
  return {
    name: table.name,
    count: async () => (await db.scan(sql`SELECT count(*) AS total FROM ${name}`, toTotal))[0] ?? 0,
    stream: () => db.stream(sql`SELECT ${columns} FROM ${name} ORDER BY ${raw(table.key)}`, make),
    // The inserts do not wait for one another: all are sent to the database in one go.
    insert: (records) =>
      db.write((tx) => Promise.all(records.map((record) => insertOne(tx, { name, written, table, record })))),
  }
}

/** Versions are counted from 1. */
export const isVersion = (version: number) => Number.isSafeInteger(version) && version > 0

/** The finding for a row whose checksum does not match its values. */
export const checksumMismatch = 'it is not as it was written: its checksum does not match'

/** A fault, and the record that has it. */
export interface Finding {
  readonly what: string
  readonly id: string
  readonly says: string
}

/** The rows whose checksum does not match their values. */
export async function* mismatchedRows(db: Database, { name, columns, key }: Table): AsyncGenerator<Finding> {
  const all = raw(`SELECT ${columns.join(', ')}, checksum FROM ${name} ORDER BY ${key}`)
  const isWrong = (row: Row) =>
    checksum(columns.map((column) => row[column] ?? null)) !== Number(row.checksum)
  const wrongKey = (row: Row) => (isWrong(row) ? String(row[key]) : undefined)
  for await (const batch of db.stream(all, wrongKey))
    for (const id of batch) if (id !== undefined) yield { what: name, id, says: checksumMismatch }
}

const columnOf = (row: Row, column: string, flags: readonly string[]): Value =>
  flags.includes(column) ? Boolean(row[column]) : (row[column] ?? null)

interface Insertion {
  readonly name: Query
  /** The columns that are written. */
  readonly written: Query
  readonly table: Table
  readonly record: StoredRecord
}

const insertOne = async (tx: Transaction, { name, written, table, record }: Insertion) => {
  const values = table.columns.map((column) => record[column] ?? null)
  const parameters = join(
    (table.isUnchecked ? values : [...values, checksum(values)]).map((value) => sql`${value}`),
    ', ',
  )
  const inserted = await tx.run(
    sql`INSERT INTO ${name} (${written}) VALUES (${parameters}) ON CONFLICT DO NOTHING`,
  )
  return inserted === 1
}

const toTotal = (row: Row) => Number(row.total)

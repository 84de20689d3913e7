import type { Row } from '#sql/database.ts'
import { and } from '#sql/listing.ts'
import { type Query, raw, sql, type Value } from '#sql/query.ts'
import { quoted, type Table } from '#sql/table.ts'

/**
 * Locks the resource until the transaction ends: of two changes that count its records, the second counts the result of the first.
 * SQLite needs no lock, because it has one writer.
 */
export const countingLock = (resource: string): Query =>
  sql`SELECT pg_advisory_xact_lock(${countingLocks}, hashtext(${resource}))`

/** The first key of these advisory locks. It must differ from the key of the lock for migrations. */
const countingLocks = 1_382_838_372

export const countQuery = (table: Table<object>, where: Readonly<Record<string, unknown>>): Query => {
  const conditions = Object.entries(where).map(([field, value]) => {
    const column = table.columns.find((one) => one.field === field)?.name
    if (column === undefined) throw new TypeError(`a rule counts by "${field}", which is not a field`)
    if (value === undefined) throw new TypeError(`a rule counts by "${field}" without a value`)
    const quotedColumn = raw(quoted(column))
    return value === null ? sql`${quotedColumn} IS NULL` : sql`${quotedColumn} = ${value as Value}`
  })
  return sql`SELECT count(*) AS total FROM ${raw(quoted(table.name))} WHERE ${and([raw('1 = 1'), ...conditions])}`
}

export const totalIn = (row: Row) => Number(row.total)

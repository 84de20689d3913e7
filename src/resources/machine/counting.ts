import type { Row } from '#sql/database.ts'
import { and } from '#sql/listing.ts'
import { type Query, raw, sql, type Value } from '#sql/query.ts'
import { quoted, type Table } from '#sql/table.ts'

/**
 * A lock for changes that count the records of a resource, so that two of them cannot both take the last free place. SQLite
 * needs none, because it has one writer.
 */
export const countingLock = (resource: string): Query =>
  sql`SELECT pg_advisory_xact_lock(${turns}, hashtext(${resource}))`

/** The first number of these advisory locks. It differs from the number of the lock for migrations. */
const turns = 1_382_838_372

export const countQuery = (table: Table<object>, where: Readonly<Record<string, unknown>>): Query => {
  const conditions = Object.entries(where).map(([field, value]) => {
    const column = table.columns.find((one) => one.field === field)?.name
    if (column === undefined) throw new TypeError(`a rule counts by "${field}", which is no field`)
    if (value === undefined) throw new TypeError(`a rule counts by "${field}" without a value`)
    const place = raw(quoted(column))
    return value === null ? sql`${place} IS NULL` : sql`${place} = ${value as Value}`
  })
  return sql`SELECT count(*) AS total FROM ${raw(quoted(table.name))} WHERE ${and([raw('1 = 1'), ...conditions])}`
}

export const total = (row: Row) => Number(row.total)

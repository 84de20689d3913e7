import type { Row, Transaction } from './database.ts'
import { type Query, raw, sql, statement } from './query.ts'
import { quoted, type Table } from './table.ts'

/** The number of rows in memory at a time. */
const batchSize = 1000

interface Rows {
  readonly table: Pick<Table<object>, 'name' | 'key' | 'selected'>
  /** Columns to read besides those of the fields. */
  readonly additionalColumns: readonly string[]
}

/** Calls `work` for each row, in batches, in the order of the key. */
export const forEachRow = async (
  tx: Transaction,
  { table, additionalColumns }: Rows,
  work: (row: Row) => Promise<unknown>,
) => {
  const { name, key, selected } = table
  const selectAll = raw(
    `SELECT ${[selected, ...additionalColumns.map(quoted)].join(', ')} FROM ${quoted(name)}`,
  )
  const orderByKey = sql`ORDER BY ${raw(quoted(key))} LIMIT ${batchSize}`
  let next: Query | undefined = sql`${selectAll} ${orderByKey}`
  while (next) {
    const rows: readonly Row[] = await tx.read(next, asIs)
    await Promise.all(rows.map(work))
    const last = rows.at(-1)?.[key]
    next =
      last === undefined ? undefined : sql`${selectAll} WHERE ${raw(quoted(key))} > ${last} ${orderByKey}`
  }
}

const asIs = (row: Row) => row

/** Recomputes derived columns, for example after the folding rules changed. Calls `onRewritten` for each row that changed. */
export const rebuildDerived = <T extends object>(
  tx: Transaction,
  table: Table<T>,
  onRewritten?: (record: T) => Promise<unknown>,
) => {
  const { name, key, derived } = table
  const update = `UPDATE ${quoted(name)} SET ${derived.map((column) => `${quoted(column)} = ?`).join(', ')} WHERE ${quoted(key)} = ?`
  return forEachRow(tx, { table, additionalColumns: derived }, async (row) => {
    const record = table.toRecord(row)
    const values = table.derive(record)
    if (values.every((value, at) => value === row[derived[at] ?? ''])) return
    const id = String(row[key])
    await tx.run(statement(update, [...values, id], [id]))
    await onRewritten?.(record)
  })
}

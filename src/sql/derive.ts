import type { Row, Transaction } from './database.ts'
import { type Query, raw, sql, statement } from './query.ts'
import { quoted, type Table } from './table.ts'

/** The number of rows held in memory at a time. */
const batchSize = 1000

interface Rows {
  readonly table: Pick<Table<object>, 'name' | 'key' | 'selected'>
  /** Columns besides those of the fields. */
  readonly others: readonly string[]
}

/** Calls `work` for each row, in batches in the order of the key. */
export const eachRow = async (
  tx: Transaction,
  { table, others }: Rows,
  work: (row: Row) => Promise<unknown>,
) => {
  const { name, key, selected } = table
  const all = raw(`SELECT ${[selected, ...others.map(quoted)].join(', ')} FROM ${quoted(name)}`)
  const ordered = sql`ORDER BY ${raw(quoted(key))} LIMIT ${batchSize}`
  let next: Query | undefined = sql`${all} ${ordered}`
  while (next) {
    const rows: readonly Row[] = await tx.read(next, asIs)
    await Promise.all(rows.map(work))
    const last = rows.at(-1)?.[key]
    next = last === undefined ? undefined : sql`${all} WHERE ${raw(quoted(key))} > ${last} ${ordered}`
  }
}

const asIs = (row: Row) => row

/** Recomputes derived columns, for example after the folding rules changed. Calls `then` for each row that it rewrote. */
export const rebuildDerived = <T extends object>(
  tx: Transaction,
  table: Table<T>,
  then?: (record: T) => Promise<unknown>,
) => {
  const { name, key, derived } = table
  const update = `UPDATE ${quoted(name)} SET ${derived.map((column) => `${quoted(column)} = ?`).join(', ')} WHERE ${quoted(key)} = ?`
  return eachRow(tx, { table, others: derived }, async (row) => {
    const record = table.make(row)
    const values = table.derive(record)
    if (values.every((value, at) => value === row[derived[at] ?? ''])) return
    const id = String(row[key])
    await tx.run(statement(update, [...values, id], [id]))
    await then?.(record)
  })
}

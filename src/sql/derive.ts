import type { Row, Transaction } from './database.ts'
import { type Query, raw, sql, statement } from './query.ts'
import { quoted, type Table } from './table.ts'

/** The number of rows held in memory at a time. */
const batchSize = 1000

/** Recomputes derived columns, for example after the folding rules changed. Calls `then` for each row that it rewrote. */
export const rebuildDerived = async <T extends object>(
  tx: Transaction,
  table: Table<T>,
  then: (record: T) => Promise<unknown>,
) => {
  const { name, key, selected, derived } = table
  const all = raw(`SELECT ${[selected, ...derived.map(quoted)].join(', ')} FROM ${quoted(name)}`)
  const ordered = sql`ORDER BY ${raw(quoted(key))} LIMIT ${batchSize}`
  const update = `UPDATE ${quoted(name)} SET ${derived.map((column) => `${quoted(column)} = ?`).join(', ')} WHERE ${quoted(key)} = ?`
  const rederive = async (row: Row) => {
    const record = table.make(row)
    const values = table.derive(record)
    if (values.every((value, at) => value === row[derived[at] ?? ''])) return
    const id = String(row[key])
    await tx.run(statement(update, [...values, id], [id]))
    await then(record)
  }
  let next: Query | undefined = sql`${all} ${ordered}`
  while (next) {
    const rows: readonly Row[] = await tx.read(next, (row) => row)
    await Promise.all(rows.map(rederive))
    const last = rows.at(-1)?.[key]
    next = last === undefined ? undefined : sql`${all} WHERE ${raw(quoted(key))} > ${last} ${ordered}`
  }
}

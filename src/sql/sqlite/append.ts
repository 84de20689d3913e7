import { memoizeByObject } from '#core/once.ts'
import { chainHash, type LogEntry, type LogTable } from '#sql/log-table.ts'
import { raw, statement } from '#sql/query.ts'
import type { Connection } from './connection.ts'

/** Appends entries to their logs, each with the next number and the hash of the preceding entry. Must be the last work of a transaction. */
export const appendEntries = (writer: Connection, entries: readonly LogEntry[]) => {
  for (const [log, added] of Map.groupBy(entries, (entry) => entry.log)) {
    const { newestQuery, insertText, hashedIndexes } = statementsFor(log)
    const [last] = writer.rows(newestQuery)
    let number = Number(last?.number ?? 0)
    let previous = last
      ? chainHash([last.previous, number, ...log.hashedColumns.map((name) => last[name])])
      : ''
    for (const entry of added) {
      const { values } = entry
      entry.number = ++number
      writer.run(statement(insertText, [number, previous, ...values], []))
      previous = chainHash([previous, number, ...hashedIndexes.map((at) => values[at])])
    }
  }
}

const statementsFor = memoizeByObject(({ table, columns, hashedColumns }: LogTable) => {
  const entryColumns = Object.keys(columns)
  const names = ['number', 'previous', ...entryColumns]
  return {
    newestQuery: raw(
      `SELECT number, previous, ${hashedColumns.join(', ')} FROM ${table} ORDER BY number DESC LIMIT 1`,
    ),
    insertText: `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    hashedIndexes: hashedColumns.map((name) => entryColumns.indexOf(name)),
  }
})

import { memoizeByObject } from '#core/once.ts'
import { chainHash, type LogEntry, type LogTable } from '#sql/log-table.ts'
import { raw, statement } from '#sql/query.ts'
import type { Connection } from './connection.ts'

/** Appends entries to their logs with the next numbers and the hash of their predecessor. Runs last in a transaction. */
export const append = (writer: Connection, entries: readonly LogEntry[]) => {
  for (const [log, added] of Map.groupBy(entries, (entry) => entry.log)) {
    const { newest, insertion, covered } = statementsFor(log)
    const [last] = writer.rows(newest)
    let number = Number(last?.number ?? 0)
    let previous = last
      ? chainHash([last.previous, number, ...log.hashedColumns.map((name) => last[name])])
      : ''
    for (const entry of added) {
      const { values } = entry
      entry.number = ++number
      writer.run(statement(insertion, [number, previous, ...values], []))
      previous = chainHash([previous, number, ...covered.map((at) => values[at])])
    }
  }
}

const statementsFor = memoizeByObject(({ table, columns, hashedColumns }: LogTable) => {
  const given = Object.keys(columns)
  const names = ['number', 'previous', ...given]
  return {
    newest: raw(
      `SELECT number, previous, ${hashedColumns.join(', ')} FROM ${table} ORDER BY number DESC LIMIT 1`,
    ),
    insertion: `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    covered: hashedColumns.map((name) => given.indexOf(name)),
  }
})

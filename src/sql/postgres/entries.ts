import { memoizeByObject } from '#core/once.ts'
import type { Row } from '#sql/database.ts'
import type { LogEntry, LogTable } from '#sql/log-table.ts'
import { empty, type Query, statement } from '#sql/query.ts'
import { arrayOf } from './arrays.ts'

/** A statement, and the entries to append if it changes a row. */
export interface LoggedStatement {
  readonly query: Query
  readonly entries: readonly LogEntry[]
  /** Whether the statement, unless it fails, changes a row for each entry. A plain INSERT does; an UPDATE may find no row. */
  readonly isCertain: boolean
}

/** An entry, and the mark that its statement leaves if it changes a row. An entry with an empty mark is always appended. */
export interface MarkedEntry {
  readonly entry: LogEntry
  readonly mark: string
}

/** Marks each statement that has changed a row. The entries of a statement are appended only if it is marked. */
export const marked = (logged: readonly LoggedStatement[]) => {
  const isAlways = ({ entries, isCertain }: LoggedStatement) => entries.length === 0 || isCertain
  const all = logged.map((one, at) => ({ ...one, mark: isAlways(one) ? '' : `,${at},` }))
  return {
    queries: all.map(({ query, mark }) => (mark === '' ? query : withMark(query, mark))),
    entries: all.flatMap(({ entries, mark }) => entries.map((entry) => ({ entry, mark }))),
  }
}

/** A setting of the transaction collects the marks, so that the last statement sees which others changed rows. */
const setting = "current_setting('rollcall.written', true)"

const withMark = ({ text, values, keys }: Query, mark: string): Query => ({
  text: `WITH written AS (${text} RETURNING 1)
    SELECT set_config('rollcall.written', concat(${setting}, CAST(? AS text)), true) FROM written`,
  values: [...values, mark],
  keys,
})

/** Appends entries of one log. Must be the last statement before COMMIT, because it locks the log. */
export const appending = (entries: readonly MarkedEntry[]): Query => {
  const [first] = entries
  if (!first) return empty
  const { log } = first.entry
  const columns = Object.keys(log.columns).map((_, at) =>
    arrayOf(entries.map(({ entry }) => entry.values[at] ?? null)),
  )
  return statement(textOf(log), [...columns, arrayOf(entries.map(({ mark }) => mark))], [])
}

const textOf = memoizeByObject(({ table, columns }: LogTable) => {
  const names = Object.keys(columns).join(', ')
  const arrays = Object.values(columns).map((type) => `CAST(? AS ${type}[])`)
  return `SELECT id, number FROM enter_${table}(ARRAY(
    SELECT CAST(ROW(${names}) AS ${table}_entry)
    FROM unnest(${arrays.join(', ')}, CAST(? AS text[])) WITH ORDINALITY AS given (${names}, mark, at)
    WHERE strpos(concat(${setting}), mark) > 0 ORDER BY at))`
})

/** Sets the number of each appended entry from the rows that the server returned. */
export const assignNumbers = (entries: readonly MarkedEntry[], rows: readonly Row[]) => {
  const numbers = new Map(rows.map(({ id, number }) => [id, number]))
  for (const { entry } of entries) {
    const number = numbers.get(String(entry.values[0]))
    if (number) entry.number = Number(number)
  }
}

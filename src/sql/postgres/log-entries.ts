import { memoizeByObject } from '#core/once.ts'
import type { Row } from '#sql/database.ts'
import type { LogEntry, LogTable } from '#sql/log-table.ts'
import { empty, type Query, statement } from '#sql/query.ts'
import { toArrayLiteral } from './arrays.ts'

/** A statement, and the entry to append if it changes a row. */
export interface LoggedStatement {
  readonly query: Query
  readonly entry: LogEntry | undefined
}

/** An entry, and the mark that its statement sets when it changes a row. An entry with an empty mark is always appended. */
export interface MarkedEntry {
  readonly entry: LogEntry
  readonly mark: string
}

/** Rewrites statements with an entry: each sets a mark when it changes a row. Its entry is appended only if the mark is set. */
export const markStatements = (logged: readonly LoggedStatement[]) => ({
  queries: logged.map(({ query, entry }, at) => (entry ? withMark(query, markAt(at)) : query)),
  entries: logged.flatMap(({ entry }, at) => (entry ? { entry, mark: markAt(at) } : [])),
})

const markAt = (index: number) => `,${index},`

/** A setting of the transaction collects the marks. So the statement that appends the entries knows which statements changed rows. */
const marksSetting = "current_setting('rollcall.written', true)"

const withMark = ({ text, values, keys }: Query, mark: string): Query => ({
  text: `WITH written AS (${text} RETURNING 1)
    SELECT set_config('rollcall.written', concat(${marksSetting}, CAST(? AS text)), true) FROM written`,
  values: [...values, mark],
  keys,
})

/** The statement that appends entries of one log. It must be the last one before COMMIT, because it locks the log. */
export const appendQuery = (entries: readonly MarkedEntry[]): Query => {
  const [first] = entries
  if (!first) return empty
  const { log } = first.entry
  const columns = Object.keys(log.columns).map((_, at) =>
    toArrayLiteral(entries.map(({ entry }) => entry.values[at] ?? null)),
  )
  return statement(appendText(log), [...columns, toArrayLiteral(entries.map(({ mark }) => mark))], [])
}

const appendText = memoizeByObject(({ table, columns }: LogTable) => {
  const names = Object.keys(columns).join(', ')
  const arrays = Object.values(columns).map((type) => `CAST(? AS ${type}[])`)
  return `SELECT id, number FROM enter_${table}(ARRAY(
    SELECT CAST(ROW(${names}) AS ${table}_entry)
    FROM unnest(${arrays.join(', ')}, CAST(? AS text[])) WITH ORDINALITY AS given (${names}, mark, at)
    WHERE strpos(concat(${marksSetting}), mark) > 0 ORDER BY at))`
})

/** Sets the number of each appended entry. `rows` are the result of `appendQuery`. */
export const assignNumbers = (entries: readonly MarkedEntry[], rows: readonly Row[]) => {
  const numbers = new Map(rows.map(({ id, number }) => [id, number]))
  for (const { entry } of entries) {
    const number = numbers.get(String(entry.values[0]))
    if (number) entry.number = Number(number)
  }
}

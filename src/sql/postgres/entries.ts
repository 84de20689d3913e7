import { onceFor } from '#core/once.ts'
import type { Row } from '#sql/database.ts'
import type { Entry, Log } from '#sql/log.ts'
import { empty, type Query, statement } from '#sql/query.ts'

/** Enters these, which are of one log. A trigger numbers them at COMMIT. */
export const entering = (entries: readonly Entry[]): Query => {
  const [first] = entries
  if (!first) return empty
  const { beginning, row } = textsOf(first.log)
  const values = entries.flatMap((entry) => entry.values)
  return statement(beginning + entries.map(() => row).join(' UNION ALL '), values, [])
}

/** A statement, and what it enters. */
export interface Logged {
  readonly query: Query
  readonly entries: readonly Entry[]
}

/** The statement also enters these if it has changed a row, of which there is then one for each. It counts the entries. */
export const withEntries = (query: Query, entries: readonly Entry[]): Logged => {
  if (entries.length === 0) return { query, entries }
  const { text, values } = entering(entries)
  const both = {
    text: `WITH written AS (${query.text} RETURNING 1) ${text} WHERE EXISTS (SELECT FROM written)`,
    values: [...query.values, ...values],
    keys: query.keys,
  }
  return { query: both, entries }
}

/** Finds the numbers that these were given at COMMIT. */
export const numbersOf = (entries: readonly Entry[]): Query => {
  const [first] = entries
  if (!first) return empty
  return statement(textsOf(first.log).numbers, [`{${entries.map(idOf).join()}}`], [])
}

export const tellNumbers = (entries: readonly Entry[], rows: readonly Row[]) => {
  const numbers = new Map(rows.map(({ id, number }) => [id, number]))
  for (const entry of entries) {
    const number = numbers.get(idOf(entry))
    if (number) entry.number = Number(number)
  }
}

const idOf = ({ values: [id] }: Entry) => String(id)

const textsOf = onceFor(({ table, columns, entrance }: Log) => {
  const names = Object.keys(columns)
  const parameters = Object.values(columns).map((type) => (type === 'text' ? '?' : `CAST(? AS ${type})`))
  return {
    beginning: `INSERT INTO ${entrance} (${names.join(', ')}) `,
    row: `SELECT ${parameters.join(', ')}`,
    // A join by ANY would be planned as a scan while the table is young.
    numbers: `SELECT id, (SELECT number FROM ${table} WHERE ${names[0]} = id) AS number FROM unnest(CAST(? AS text[])) AS id`,
  }
})

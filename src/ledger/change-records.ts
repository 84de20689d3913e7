import { isDeepStrictEqual } from 'node:util'
import type { Database, Row, RowMapper } from '#sql/database.ts'
import { type Query, raw } from '#sql/query.ts'
import type { Finding } from '#sql/records.ts'
import { quoted, type Table } from '#sql/table.ts'

interface Stored {
  readonly version: number
  readonly createdAt: number
}

/** A resource whose changes are logged. */
export interface LoggedResource {
  /** The name of the resource, with which its change types begin. */
  readonly resource: string
  readonly table: Pick<Table, 'name' | 'key' | 'columns'>
  /** The selected columns, and the joined tables if there are several. */
  readonly selected: string
  readonly from?: string
  readonly make: RowMapper<Stored>
  /** `kept`: each change holds the record after it. `erasable`: as `kept`, but a deletion may erase these records. */
  readonly values: 'none' | 'kept' | 'erasable'
  /** Fields that may change without a log entry, together with the version. */
  readonly unlogged?: readonly string[]
}

/** Compares every record of a resource with its newest change, and every value in the log with its change. */
export async function* verifyLogged(db: Database, logged: LoggedResource): AsyncGenerator<Finding> {
  const { resource, table } = logged
  for await (const batch of db.stream(recordsWithNewestChange(logged), (row) => faultsOf(row, logged)))
    for (const findings of batch) yield* findings
  for await (const batch of db.stream(changesWithoutRecord(logged), (row) => String(row.subject)))
    for (const id of batch)
      yield { what: table.name, id, says: 'the record is missing, and no change deletes it' }
  if (logged.values === 'none') return
  for await (const batch of db.stream(changesWithoutValue(logged), (row) => String(row.number)))
    for (const id of batch)
      yield { what: 'value of change', id, says: 'the value is missing, and was not erased' }
  for await (const batch of db.stream(
    changeValuesOf(resource),
    (row) => belongsToItsChange(row, logged) || String(row.number),
  ))
    for (const id of batch)
      if (id !== true) yield { what: 'value of change', id, says: 'the value belongs to another change' }
}

// One statement reads a record and its change, because another transaction may commit between two statements.

const recordsWithNewestChange = ({ resource, selected, from, table: { name, key } }: LoggedResource) =>
  raw(`
    SELECT ${selected}, newest.type AS logged_type, newest.version AS logged_version, newest.value AS logged_value,
      (SELECT changed_at FROM change WHERE number = 1) AS log_begun_at
    FROM ${from ?? quoted(name)} LEFT JOIN change AS newest ON newest.number =
      (SELECT max(number) FROM change
        WHERE subject = CAST(${quoted(name)}.${quoted(key)} AS text) AND type LIKE '${resource}.%')`)

const changesWithoutRecord = ({ resource, table: { name, key } }: LoggedResource) =>
  raw(`
    SELECT subject FROM change AS one WHERE type LIKE '${resource}.%' AND type <> '${resource}.deleted'
      AND NOT EXISTS (SELECT 1 FROM change AS later WHERE later.subject = one.subject AND later.number > one.number
        AND later.type LIKE '${resource}.%')
    EXCEPT SELECT CAST(${quoted(key)} AS text) FROM ${quoted(name)}`)

/**
 * Changes that lack their value. Two kinds may lack it: changes older than the hash chain, and changes before an erasure, which is
 * recognised by a deletion without earlier values.
 */
const changesWithoutValue = ({ resource, values }: LoggedResource): Query => {
  const erased = `
    SELECT 1 FROM change AS deletion
    WHERE deletion.subject = one.subject AND deletion.number > one.number AND deletion.type = '${resource}.deleted'
      AND NOT EXISTS (SELECT 1 FROM change AS earlier WHERE earlier.subject = one.subject
        AND earlier.number < deletion.number AND earlier.value IS NOT NULL AND earlier.type LIKE '${resource}.%')`
  return raw(`
    SELECT number FROM change AS one
    WHERE type LIKE '${resource}.%' AND type <> '${resource}.deleted' AND value IS NULL AND previous IS NOT NULL
      ${values === 'erasable' ? `AND NOT EXISTS (${erased})` : ''}`)
}

const changeValuesOf = (resource: string) =>
  raw(
    `SELECT number, subject, version, value FROM change WHERE type LIKE '${resource}.%' AND value IS NOT NULL`,
  )

const faultsOf = (row: Row, { table, make, values, unlogged }: LoggedResource): readonly Finding[] => {
  const record = make(row)
  const found = (says: string): Finding => ({ what: table.name, id: String(row[table.key]), says })
  if (row.logged_type === null) {
    // A record that is older than the log has no change. The log is complete while it still has change 1.
    const isLater = row.log_begun_at !== null && record.createdAt >= Number(row.log_begun_at)
    return values !== 'none' && isLater ? [found('no change created the record')] : []
  }
  if (String(row.logged_type).endsWith('.deleted')) return [found('the newest change deletes the record')]
  const versionsAhead = record.version - Number(row.logged_version)
  if (versionsAhead < 0) return [found('the record is older than its newest change')]
  if (versionsAhead > 0 && !unlogged) return [found('the record is newer than its newest change')]
  const value = parseValue(row.logged_value)
  const ignored = versionsAhead > 0 ? ['version', ...(unlogged ?? [])] : []
  return differingFields(record, value)
    .filter((field) => !ignored.includes(field))
    .map((field) => found(`the ${field} differs from the newest change`))
}

/** Ignores fields that were added after the value was logged, and values that cannot be parsed: their checksum reveals them. */
const differingFields = (record: object, logged: object): readonly string[] => {
  const loggedValues = new Map<string, unknown>(Object.entries(logged))
  return Object.entries(record).flatMap(([field, value]) => {
    const loggedValue = loggedValues.get(field)
    if (loggedValue === undefined || isDeepStrictEqual(value, loggedValue)) return []
    const isNested = isPlain(value) && isPlain(loggedValue)
    return isNested && differingFields(value, loggedValue).length === 0 ? [] : [field]
  })
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const belongsToItsChange = (row: Row, { table: { columns, key } }: LoggedResource) => {
  const field = columns.find(({ name }) => name === key)?.field ?? key
  const value = parseValue(row.value) as Readonly<Record<string, unknown>>
  return value[field] === row.subject && value.version === Number(row.version)
}

const parseValue = (text: unknown): object => {
  try {
    return Object(JSON.parse(String(text)))
  } catch {
    return {}
  }
}

import { type Change, type ChangeFilter, idSuffixOf, type Position } from '#http/api/change.ts'
import type { Row } from '#sql/database.ts'
import { and } from '#sql/listing.ts'
import { empty, join, raw, sql } from '#sql/query.ts'

export const changeColumns =
  'SELECT number, change_id, type, subject, version, changed, changed_by, track, changed_at, unit FROM change'

/** Changes, each with the number of the newest change of the log. */
export const changesWithHead = raw(
  changeColumns.replace(' FROM', ', (SELECT max(number) FROM change) AS head FROM'),
)

export const changesWithValue = raw(changeColumns.replace(' FROM', ', value FROM'))

export const newestChange = raw(`${changeColumns} ORDER BY number DESC LIMIT 1`)

export const newestChanges = (size: number) => sql`${raw(changeColumns)} ORDER BY number DESC LIMIT ${size}`

/** The condition of `matches`, in SQL. */
export const matchesSql = ({ types, id, author, timeFrom, timeTo }: ChangeFilter) => {
  const listed = types?.map((type) => sql`${type}`)
  const ofTypes = listed ? sql`type IN (${join(listed, ', ')})` : empty
  const ofRecord = id === undefined ? empty : sql`subject = ${id}`
  const byAuthor = author === undefined ? empty : sql`changed_by = ${author}`
  const from = timeFrom === undefined ? empty : sql`changed_at >= ${timeFrom}`
  const to = timeTo === undefined ? empty : sql`changed_at < ${timeTo}`
  return and([ofTypes, ofRecord, byAuthor, from, to, raw('TRUE')])
}

export const beforeFirstChange = { number: 0, unit: '' }

export const matches = (change: Change, { types, id, author, timeFrom, timeTo }: ChangeFilter) =>
  (types?.includes(change.type) ?? true) &&
  (id === undefined || id === change.subject) &&
  (author === undefined || author === change.author) &&
  (timeFrom === undefined || timeFrom <= change.time) &&
  (timeTo === undefined || change.time < timeTo)

/** The position after the last of these changes, or before all changes if there is none. */
export const positionAfter = (
  logName: string,
  changes: readonly Pick<Change, 'number' | 'id'>[],
): Position => {
  const last = changes.at(-1)
  return { logName, number: last?.number ?? 0, idSuffix: last ? idSuffixOf(last.id) : '' }
}

export const toLogName = (row: Row) => String(row.history)

export const toChange = (row: Row): Change => ({
  number: Number(row.number),
  id: String(row.change_id),
  type: String(row.type),
  subject: String(row.subject),
  version: Number(row.version),
  changed: row.changed === '' ? [] : String(row.changed).split(','),
  author: String(row.changed_by),
  track: String(row.track),
  time: Number(row.changed_at),
  unit: String(row.unit),
})

export const toPastChange = (row: Row) => ({
  change: toChange(row),
  value: row.value === null ? null : (JSON.parse(String(row.value)) as object),
})

export const toChangeWithHead = (row: Row) => ({ ...toChange(row), head: Number(row.head) })

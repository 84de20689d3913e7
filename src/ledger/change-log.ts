import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import { type Actor, idSuffixOf, type PendingChange } from '#http/api/change.ts'
import { severalSubjects } from '#http/api/idempotency.ts'
import { checksum } from '#sql/checksum.ts'
import type { LogEntry, LogTable } from '#sql/log-table.ts'
import { type Query, sql } from '#sql/query.ts'

export interface NewChange {
  /** For example `todo.created`. */
  readonly type: string
  readonly subject: string
  /** The version of the record after the change. */
  readonly version: number
  readonly changed: readonly string[]
  /** The record after the change, unless it was deleted. */
  readonly record?: object
}

/** Makes the log entry of a change. The caller appends the entry in the transaction of the write, if the write changed a row. */
export type MakeLogEntry = (change: NewChange, actor: Actor) => LogEntry

export const changeLogTable: LogTable = {
  table: 'change',
  columns: {
    change_id: 'text',
    type: 'text',
    subject: 'text',
    version: 'integer',
    changed: 'text',
    changed_by: 'text',
    track: 'text',
    changed_at: 'bigint',
    unit: 'text',
    value: 'text',
    checksum: 'bigint',
  },
  // Line breaks separate the hashed values. The author comes last, because only the name of an author may contain a line break.
  hashedColumns: [
    'change_id',
    'type',
    'subject',
    'version',
    'changed',
    'changed_at',
    'unit',
    'track',
    'changed_by',
  ],
  topic: 'change',
}

/** The service itself as the author of changes outside a request. */
export const serviceActor = (): Actor => ({ author: 'rollcall', track: '', pendingChanges: [] })

/** The only one of these ids. Null if there is none, `*` if there are several. */
export const subjectOf = (ids: readonly string[]) => {
  const [first = null, ...others] = ids
  return others.every((one) => one === first) ? first : severalSubjects
}

/**
 * The statements that erase a record from the log, from stored answers and from staged imports. Its changes stay, without values.
 * An uploaded file that mentions the record is deleted completely.
 */
export const erasureOf = (resource: string, subject: string): readonly Query[] => [
  sql`
    UPDATE change SET value = NULL, checksum = NULL
    WHERE subject = ${subject} AND type LIKE ${`${resource}.%`} AND value IS NOT NULL`,
  sql`DELETE FROM kept_answer WHERE subject = ${subject}`,
  sql`DELETE FROM kept_answer WHERE subject IN (SELECT import_id FROM import_row WHERE record_id = ${subject})`,
  sql`DELETE FROM kept_answer WHERE subject = ${severalSubjects} AND body LIKE ${`%${subject}%`}`,
  sql`DELETE FROM import_piece WHERE import_id IN (SELECT import_id FROM import_row WHERE record_id = ${subject})`,
  sql`
    DELETE FROM import_key
    WHERE (import_id, line) IN (SELECT import_id, line FROM import_row WHERE record_id = ${subject})`,
  sql`DELETE FROM import_row WHERE record_id = ${subject}`,
]

/** The value and its checksum are the last columns. */
const valueIndex = Object.keys(changeLogTable.columns).indexOf('value')

interface LogParts {
  readonly clock: Clock
  readonly newId: NewId
}

export const logEntryMaker =
  ({ clock, newId }: LogParts): MakeLogEntry =>
  ({ type, subject, version, changed, record }, { author, track, pendingChanges }) => {
    const id = newId()
    // All changes of a unit carry the end of the id of its first change.
    const unit = idSuffixOf(pendingChanges[0]?.id ?? id)
    const value = record ? JSON.stringify(record) : null
    const sum = value === null ? null : checksum([value])
    const values = [id, type, subject, version, changed.join(), author, track, clock.now(), unit, value, sum]
    const erase = () => {
      values.fill(null, valueIndex)
      entry.isErased = true
    }
    const entry: LogEntry & PendingChange = { log: changeLogTable, values, id, subject, erase }
    pendingChanges.push(entry)
    return entry
  }

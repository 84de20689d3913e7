import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import { markOf } from '#http/api/feed.ts'
import { checksum } from '#sql/checksum.ts'
import type { Entry, Log } from '#sql/log.ts'
import { type Query, sql } from '#sql/query.ts'

/** What a write changes. */
export interface Changing {
  /** Such as `todo.created`. */
  readonly type: string
  /** The id of the record. */
  readonly subject: string
  /** The names of the fields that change. */
  readonly changed: readonly string[]
}

/**
 * Announces a change, and returns what makes its entry in the log, with the record's new version, and with the record itself
 * unless it is deleted. Announce it before the write begins: only there is it known who acts. Enter it in the transaction of
 * the write, if that changed something.
 */
export type Announce = (change: Changing) => (version: number, record?: object) => Entry

/** Who acts, and in which request. */
export interface Actor {
  readonly by: string
  readonly track: string
}

interface Acting extends Actor {
  /** What was entered last, and what names all that is announced. */
  entered?: Entry
  unit?: string
  /** The record that it was about. */
  subject?: string
}

export const log: Log = {
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
  // Who did it comes last, because only that may contain a line break.
  hashed: ['change_id', 'type', 'subject', 'version', 'changed', 'changed_at', 'unit', 'track', 'changed_by'],
  entrance: 'change_unnumbered',
  topic: 'change',
}

/** Whoever acts outside a request. */
const ourselves: Actor = { by: 'rollcall', track: '' }

const acting = new AsyncLocalStorage<Acting>()

/** Does the work as this actor. Returns its result, and what it entered last. */
export const actingAs = async <T>(actor: Actor, work: () => Promise<T>): Promise<readonly [T, Entry?]> => {
  const current: Acting = { ...actor }
  const result = await acting.run(current, work)
  return current.entered ? [result, current.entered] : [result]
}

/** The record that the last change of whoever acts was about. */
export const announcedSubject = () => acting.getStore()?.subject ?? null

/** What deletes all that is kept of a record, except its changes. */
export const erasing = (subject: string): readonly Query[] => [
  sql`UPDATE change SET value = NULL, checksum = NULL WHERE subject = ${subject} AND value IS NOT NULL`,
  sql`DELETE FROM kept_answer WHERE subject = ${subject}`,
]

interface LogParts {
  readonly clock: Clock
  readonly newId: NewId
}

export const changeLog =
  ({ clock, newId }: LogParts): Announce =>
  ({ type, subject, changed }) => {
    const current = acting.getStore()
    const { by, track } = current ?? ourselves
    const changeId = newId()
    const unit = current?.unit ?? markOf(changeId)
    if (current) Object.assign(current, { unit, subject })
    return (version, record) => {
      const value = record ? JSON.stringify(record) : null
      const sum = value === null ? null : checksum([value])
      const at = clock.now()
      const said = [changeId, type, subject, version, changed.join(), by, track, at, unit, value, sum]
      const entry: Entry = { log, values: said }
      if (current) current.entered = entry
      return entry
    }
  }

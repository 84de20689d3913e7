import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import { markOf } from '#http/api/feed.ts'
import { checksum } from '#sql/checksum.ts'
import { key, type Query, sql } from '#sql/query.ts'

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
 * Announces a change, and returns the statement that enters it in the log with the record's new version, and with the record
 * itself unless it is deleted. Announce it before the write begins: only there is it known who acts. Run the statement in the
 * transaction of the write, if that changed something.
 */
export type Announce = (change: Changing) => (version: number, record?: object) => Query

/** Who acts, and in which request. */
export interface Actor {
  readonly by: string
  readonly track: string
}

interface Acting extends Actor {
  /** The id of the last change that was announced, and what names them all. */
  announced?: string
  unit?: string
  /** The record that it was about. */
  subject?: string
}

/** Listeners are told that something was entered, not what. */
export const changeTopic = 'change'

/** Whoever acts outside a request. */
const ourselves: Actor = { by: 'rollcall', track: '' }

const acting = new AsyncLocalStorage<Acting>()

/** Who acts now. */
export const actor = (): Actor => acting.getStore() ?? ourselves

/** Does the work as this actor. Returns its result, and the id of the last change that it announced. */
export const actingAs = async <T>(actor: Actor, work: () => Promise<T>): Promise<readonly [T, string?]> => {
  const current: Acting = { ...actor }
  const result = await acting.run(current, work)
  return current.announced === undefined ? [result] : [result, current.announced]
}

/** The record that the last change of whoever acts was about. */
export const announcedSubject = () => acting.getStore()?.subject ?? null

/** What deletes all that is kept of a record, except its changes. */
export const erasing = (subject: string): readonly Query[] => [
  sql`DELETE FROM change_value WHERE number IN (SELECT number FROM change WHERE subject = ${subject})`,
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
    const { by, track } = actor()
    const changeId = newId()
    const unit = current?.unit ?? markOf(changeId)
    if (current) Object.assign(current, { announced: changeId, unit, subject })
    return (version, record) => {
      const value = record ? JSON.stringify(record) : null
      return {
        ...sql`
        INSERT INTO change_unnumbered
          (change_id, type, subject, version, changed, changed_by, track, changed_at, unit, value, checksum)
        SELECT ${key(changeId)}, ${type}, ${subject}, CAST(${version} AS integer), ${changed.join()}, ${by}, ${track},
          CAST(${clock.now()} AS bigint), ${unit}, ${value}, CAST(${checksum([value])} AS bigint)`,
        tells: changeTopic,
      }
    }
  }

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
  /** The ids of the changes that were announced, and of the records that they are about. */
  readonly announced: string[]
  readonly subjects: string[]
  /** What names all of them. */
  unit?: string
}

/** Listeners are told that something was entered, not what. */
export const changeTopic = 'change'

/** Whoever acts outside a request. */
const ourselves: Actor = { by: 'rollcall', track: '' }

const acting = new AsyncLocalStorage<Acting>()

/** Does the work as this actor. Returns its result, and the ids of the changes that it announced, done or not. */
export const actingAs = async <T>(
  actor: Actor,
  work: () => Promise<T>,
): Promise<readonly [T, readonly string[]]> => {
  const current: Acting = { ...actor, announced: [], subjects: [] }
  const result = await acting.run(current, work)
  return [result, current.announced]
}

/** Stands for several records. */
const several = '*'

/** Begins to note the records that whoever acts changes. The result tells which one it was, if any, or that there were several. */
export const noteSubjects = () => {
  const subjects = acting.getStore()?.subjects ?? []
  const from = subjects.length
  return () => {
    const [first = null, ...others] = subjects.slice(from)
    return others.every((one) => one === first) ? first : several
  }
}

/** What deletes all that is kept of a record, except its changes. An answer about several records names each of them. */
export const erasing = (subject: string): readonly Query[] => [
  sql`DELETE FROM change_value WHERE number IN (SELECT number FROM change WHERE subject = ${subject})`,
  sql`DELETE FROM kept_answer WHERE subject = ${subject}`,
  sql`DELETE FROM kept_answer WHERE subject = ${several} AND body LIKE ${`%${subject}%`}`,
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
    if (current) {
      current.announced.push(changeId)
      current.subjects.push(subject)
      current.unit = unit
    }
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

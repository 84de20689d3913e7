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
export type Announce = (
  change: Changing,
) => (version: number, record?: object, changed?: readonly string[]) => Entry

/** Announces in the name of whoever acts now, also once the work of a transaction runs elsewhere. */
export const announcingHere = (announce: Announce): Announce => {
  const inContext = AsyncLocalStorage.snapshot()
  return (change) => inContext(() => announce(change))
}

/** Who acts, and in which request. */
export interface Actor {
  readonly by: string
  readonly track: string
}

interface Acting extends Actor {
  /** Of the changes, done or not. */
  readonly entries: Entry[]
  /** What names all of them. */
  unit?: string
}

export const logOfChanges: Log = {
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
  topic: 'change',
}

/** Whoever acts outside a request. */
const ourselves: Actor = { by: 'rollcall', track: '' }

const acting = new AsyncLocalStorage<Acting>()

/** Who acts now. */
export const actor = (): Actor => acting.getStore() ?? ourselves

/** Does the work as this actor. Returns its result, and the entries that it made. Those that were committed have a number. */
export const actingAs = async <T>(
  actor: Actor,
  work: () => Promise<T>,
): Promise<readonly [T, readonly Entry[]]> => {
  const current: Acting = { ...actor, entries: [] }
  const result = await acting.run(current, work)
  return [result, current.entries]
}

/** Stands for several records. */
const several = '*'

/** Begins to note the records that whoever acts changes. The result tells which one it was, if any, or that there were several. */
export const noteSubjects = () => {
  const entries = acting.getStore()?.entries ?? []
  const from = entries.length
  return () => {
    const [first = null, ...others] = entries.slice(from).map(subjectOf)
    return others.every((one) => one === first) ? first : several
  }
}

/**
 * What deletes all that is kept of a record, except its changes. An answer about several records names each of them. To be made
 * before the write begins, as every announcement.
 */
export const erasure = (subject: string) => {
  const entries = acting.getStore()?.entries ?? []
  return {
    queries: [
      sql`UPDATE change SET value = NULL, checksum = NULL WHERE subject = ${subject} AND value IS NOT NULL`,
      sql`DELETE FROM kept_answer WHERE subject = ${subject}`,
      sql`DELETE FROM kept_answer WHERE subject = ${several} AND body LIKE ${`%${subject}%`}`,
    ] satisfies Query[],

    /** Also of what the same request has changed before, which is entered at the end of its transaction. */
    done() {
      for (const entry of entries) if (subjectOf(entry) === subject) withoutValue(entry)
    },
  }
}

const columns = Object.keys(logOfChanges.columns)
const subjectAt = columns.indexOf('subject')

const subjectOf = ({ values }: Entry) => String(values[subjectAt])

const withoutValue = (entry: Entry) => {
  entry.values = entry.values.map((value, at) => (at < columns.indexOf('value') ? value : null))
}

interface LogParts {
  readonly clock: Clock
  readonly newId: NewId
}

export const changeLog =
  ({ clock, newId }: LogParts): Announce =>
  ({ type, subject, changed: announced }) => {
    const current = acting.getStore()
    const { by, track } = actor()
    const changeId = newId()
    const unit = current?.unit ?? markOf(changeId)
    if (current) current.unit = unit
    return (version, record, changed = announced) => {
      const value = record ? JSON.stringify(record) : null
      const sum = value === null ? null : checksum([value])
      const at = clock.now()
      const said = [changeId, type, subject, version, changed.join(), by, track, at, unit, value, sum]
      const entry: Entry = { log: logOfChanges, values: said }
      current?.entries.push(entry)
      return entry
    }
  }

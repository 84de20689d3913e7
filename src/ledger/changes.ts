import type { Clock } from '#core/clock.ts'
import { onceSucceeded } from '#core/once.ts'
import {
  type Change,
  type ChangeFilter,
  type ChangePage,
  type Changes,
  isSameUnit,
  markOf,
  type Position,
} from '#http/api/feed.ts'
import type { Database, Row } from '#sql/database.ts'
import { empty, join, raw, sql } from '#sql/query.ts'
import { actingAs } from './change-log.ts'
import { changeTail } from './change-tail.ts'
import type { Sweepable } from './sweep.ts'

interface ChangesParts {
  readonly db: Database
  readonly clock: Clock
  /** How long changes are kept. */
  readonly keepMs: number | 'off'
}

/** Numbers that one statement looks at, and statements for one answer: a rare type must not make others wait. */
const windowLength = 5_000
const maxWindows = 20

/** No unit has more changes. */
const maxUnit = 1_000

/** Rows deleted per statement. */
const sweepBatchSize = 500

interface ChangeLog extends Changes, Sweepable {
  /** The oldest that is kept, and the newest. */
  ends(): Promise<{ readonly first: Change | undefined; readonly last: Change | undefined }>
  end(): void
}

/** The log of changes, as its readers see it. */
export const openChanges = ({ db, clock, keepMs }: ChangesParts): ChangeLog => {
  const history = onceSucceeded(
    async () => (await db.read(raw('SELECT history FROM change_history'), toHistory))[0] ?? '',
  )

  const after = async (number: number, id: string) => ({ history: await history(), number, mark: markOf(id) })

  const latest = async () => endOf(await history(), await db.read(newest(1), toChange))

  const oldest = async (): Promise<Position> => {
    const [first] = await db.read(raw(`${changeColumns} ORDER BY number LIMIT 1`), toChange)
    return { history: await history(), number: (first?.number ?? 1) - 1, mark: '' }
  }

  /** What matches among the next numbers. The row of the position itself is read too: if it is there, nothing after it is missing. */
  const readWindow = async (
    after: Position,
    filter: ChangeFilter,
    size: number,
  ): Promise<ChangePage | undefined> => {
    const first = after.mark === '' ? after.number + 1 : after.number
    const last = first + windowLength
    const found = await db.read(
      sql`
        ${counted} WHERE number BETWEEN ${first} AND ${last} AND (number = ${first} OR (${matching(filter)}))
        ORDER BY number LIMIT ${size + 2}`,
      toCounted,
    )
    const [anchor] = found
    if (!anchor) {
      const isAtStart = after.mark === '' && (await oldest()).number === after.number
      return isAtStart ? { changes: [], position: after, more: false } : undefined
    }
    if (anchor.number !== first || (after.mark !== '' && markOf(anchor.id) !== after.mark)) return undefined
    const changes = found.filter((change) => change.number > after.number && matches(change, filter))
    const page = changes.slice(0, size)
    const end = changes.length > size ? (page.at(-1)?.number ?? 0) : Math.min(last, anchor.head)
    const known = found.filter(({ number }) => number === end)
    const at = known.length > 0 ? known : await from(end, 1)
    const next = found.find(({ number }) => number === end + 1)
    const mayGoOn = end < anchor.head && (!next || isSameUnit(at[0], next))
    const seen = mayGoOn ? await whole(at) : at
    return {
      changes: [...page, ...seen.slice(1).filter((change) => matches(change, filter))],
      position: endOf(after.history, seen),
      more: (seen.at(-1)?.number ?? end) < anchor.head,
    }
  }

  const from = (number: number, size: number) =>
    db.read(sql`${raw(changeColumns)} WHERE number >= ${number} ORDER BY number LIMIT ${size}`, toChange)

  /** With what follows of the last one's unit. */
  const whole = async (changes: readonly Change[]) => {
    const { number, unit } = changes.at(-1) ?? none
    if (unit === '') return changes
    const rest = await db.read(
      sql`
        ${raw(changeColumns)} WHERE number BETWEEN ${number + 1} AND ${number + maxUnit} AND unit = ${unit}
        ORDER BY number`,
      toChange,
    )
    return [...changes, ...rest]
  }

  const read: Changes['read'] = async (after, filter, size) => {
    if (after.history !== (await history())) return undefined
    let position = after
    for (let windows = 1; ; windows++) {
      const page = await readWindow(position, filter, size)
      if (!page?.more || page.changes.length > 0 || windows === maxWindows) return page
      position = page.position
    }
  }

  const tail = changeTail(db, {
    after: async (number, size) => {
      const found = await from(number, size)
      return found.length < size ? found : whole(found)
    },
    newest: async (size) => (await db.read(newest(size), toChange)).toReversed(),
  })

  return {
    latest,
    oldest,
    read,

    recent: async (after, filter, size) => {
      const known = tail.after(after)
      if (!known) return read(after, filter, size)
      const found = known.filter((change) => matches(change, filter))
      const beyond = found.findIndex((one, at) => at >= size && !isSameUnit(found[at - 1], one))
      const page = beyond < 0 ? found : found.slice(0, beyond)
      const seen = beyond < 0 ? known.slice(-1) : page.slice(-1)
      return {
        changes: page,
        position: seen.length > 0 ? endOf(after.history, seen) : after,
        more: beyond >= 0,
      }
    },

    history: (id, before = Number.MAX_SAFE_INTEGER, size) =>
      db.read(
        sql`${past} WHERE subject = ${id} AND number < ${before} ORDER BY number DESC LIMIT ${size + 1}`,
        toPastChange,
      ),

    async ends() {
      const [[first], [last]] = await Promise.all([from(0, 1), db.read(newest(1), toChange)])
      return { first, last }
    },

    follow: tail.follow,
    arrived: tail.arrived,
    arrival: tail.arrival,
    hasEnded: tail.hasEnded,
    end: tail.end,

    async recorded(actor, work) {
      const [result, entries] = await actingAs(actor, work)
      const entry = entries.findLast(({ number }) => number !== undefined)
      // The work is done: where its place in the log cannot be read, it is only not told.
      const place = entry?.number === undefined ? latest() : after(entry.number, String(entry.values[0]))
      return [result, await place.catch(() => undefined)]
    },

    /** Deletes the oldest, in order, and never the newest. */
    async sweep() {
      if (keepMs === 'off') return 0
      const before = clock.now() - keepMs
      const rows = await from(0, sweepBatchSize + 1)
      const kept = rows.findIndex(({ time }) => time > before)
      const last = rows[(kept < 0 ? rows.length - 1 : kept) - 1]
      if (!last) return 0
      return db.run(sql`DELETE FROM change WHERE number <= ${last.number}`)
    },
  }
}

/** For SQLite: no cursor that was given so far leads anywhere. */
export const newHistory = 'UPDATE change_history SET history = lower(hex(randomblob(8)))'

export const changeColumns =
  'SELECT number, change_id, type, subject, version, changed, changed_by, track, changed_at, unit FROM change'

const counted = raw(changeColumns.replace(' FROM', ', (SELECT max(number) FROM change) AS head FROM'))

const past = raw(changeColumns.replace(' FROM', ', value FROM'))

const newest = (size: number) => sql`${raw(changeColumns)} ORDER BY number DESC LIMIT ${size}`

const matching = ({ types, id }: ChangeFilter) => {
  const oneOf =
    types &&
    sql`type IN (${join(
      types.map((type) => sql`${type}`),
      ', ',
    )})`
  const ofRecord = id === undefined ? empty : sql`subject = ${id}`
  return join(
    [oneOf ?? empty, ofRecord].filter((condition) => condition !== empty).concat(raw('TRUE')),
    ' AND ',
  )
}

const none = { number: 0, unit: '' }

const matches = ({ type, subject }: Change, { types, id }: ChangeFilter) =>
  (types?.includes(type) ?? true) && (id === undefined || id === subject)

/** The position after the last of these. */
const endOf = (history: string, changes: readonly Change[]): Position => {
  const last = changes.at(-1)
  return { history, number: last?.number ?? 0, mark: last ? markOf(last.id) : '' }
}

const toHistory = (row: Row) => String(row.history)

export const toChange = (row: Row): Change => ({
  number: Number(row.number),
  id: String(row.change_id),
  type: String(row.type),
  subject: String(row.subject),
  version: Number(row.version),
  changed: row.changed === '' ? [] : String(row.changed).split(','),
  by: String(row.changed_by),
  track: String(row.track),
  time: Number(row.changed_at),
  unit: String(row.unit),
})

const toPastChange = (row: Row) => ({
  change: toChange(row),
  value: row.value === null ? null : (JSON.parse(String(row.value)) as object),
})

const toCounted = (row: Row) => ({ ...toChange(row), head: Number(row.head) })

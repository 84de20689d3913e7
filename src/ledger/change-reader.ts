import { memoizeSuccess } from '#core/once.ts'
import {
  type Change,
  type ChangeFilter,
  type ChangePage,
  type Changes,
  idEndOf,
  isAfter,
  isSameUnit,
  type Position,
} from '#http/api/change.ts'
import type { Database } from '#sql/database.ts'
import { type Query, raw, sql, statement } from '#sql/query.ts'
import { timelineOf } from '#sql/timeline.ts'
import { changeAge } from './change-age.ts'
import {
  changeColumns,
  changesWithHead,
  changesWithValue,
  matches,
  matching,
  newest,
  newestOf,
  noChange,
  positionAfter,
  toChange,
  toCounted,
  toLogName,
  toPastChange,
} from './change-rows.ts'
import { changeTail } from './change-tail.ts'
import { processUptimeMs } from './sweep.ts'

interface ChangesParts {
  readonly db: Database
  readonly keepMs: number | 'off'
  readonly uptimeMs?: () => number
}

/** The numbers per statement and the statements per answer are limited, so that the search for a rare type does not delay others. */
const windowLength = 5_000
const maxWindows = 20

/** The maximum number of changes in a unit. */
const maxUnit = 1_000

/** Rows deleted per statement. Other writes wait for one statement at most. */
const sweepBatchSize = 100

export interface ChangeLog extends Changes {
  sweep(): Promise<number>
  /** Wakes waiting readers if changes came without a notification. */
  look(): Promise<void>
  ends(): Promise<{ readonly first: Change | undefined; readonly last: Change | undefined }>
  end(): void
}

/** The log of changes, as its readers see it. */
export const openChanges = ({ db, keepMs, uptimeMs = processUptimeMs }: ChangesParts): ChangeLog => {
  const oldEnough = keepMs === 'off' ? undefined : changeAge({ db, keepMs, uptimeMs })

  const logName = memoizeSuccess(
    async () => (await db.read(raw('SELECT history FROM change_history'), toLogName))[0] ?? '',
  )

  const isOurs = async ({ logName: given }: Position) => given !== '' && (await logName()).startsWith(given)

  const past = async (change: Pick<Change, 'number' | 'id'>) => positionAfter(await logName(), [change])

  const latest = async () => positionAfter(await logName(), await db.read(newest, toChange))

  const oldest = async (): Promise<Position> => {
    const [first] = await db.read(raw(`${changeColumns} ORDER BY number LIMIT 1`), toChange)
    return { logName: await logName(), number: (first?.number ?? 1) - 1, idEnd: '' }
  }

  /** The matching changes among the next numbers. Also reads the row of the position: while it exists, nothing after it was swept. */
  const readWindow = async (
    after: Position,
    filter: ChangeFilter,
    size: number,
  ): Promise<ChangePage | undefined> => {
    const first = after.idEnd === '' ? after.number + 1 : after.number
    const last = first + windowLength
    const found = await db.read(
      sql`
        ${changesWithHead} WHERE number BETWEEN ${first} AND ${last} AND (number = ${first} OR (${matching(filter)}))
        ORDER BY number LIMIT ${size + 2}`,
      toCounted,
    )
    const [anchor] = found
    if (!anchor) {
      const isAtStart = after.idEnd === '' && (await oldest()).number === after.number
      return isAtStart ? { changes: [], position: after, more: false } : undefined
    }
    if (anchor.number !== first || (after.idEnd !== '' && !isAfter(after, anchor))) return undefined
    const changes = found.filter((change) => change.number > after.number && matches(change, filter))
    const page = changes.slice(0, size)
    const end = changes.length > size ? (page.at(-1)?.number ?? 0) : Math.min(last, anchor.head)
    const known = found.filter(({ number }) => number === end)
    const at = known.length > 0 ? known : await from(end, 1)
    const next = found.find(({ number }) => number === end + 1)
    const mayGoOn = end < anchor.head && (!next || isSameUnit(at[0], next))
    const seen = mayGoOn ? await whole(at) : at
    // Changes may be swept or lost between two statements.
    if (seen.length === 0 || seen.some(({ number }, index) => number !== end + index)) return undefined
    return {
      changes: [...page, ...seen.slice(1).filter((change) => matches(change, filter))],
      position: positionAfter(after.logName, seen),
      more: (seen.at(-1)?.number ?? end) < anchor.head,
    }
  }

  const from = (number: number, size: number) =>
    db.read(sql`${raw(changeColumns)} WHERE number >= ${number} ORDER BY number LIMIT ${size}`, toChange)

  /** Adds the rest of the unit of the last change. */
  const whole = async (changes: readonly Change[]) => {
    const { number, unit } = changes.at(-1) ?? noChange
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
    if (!(await isOurs(after))) return undefined
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
    newest: async (size) => (await db.read(newestOf(size), toChange)).toReversed(),
  })

  return {
    branch: async () => `${await logName()} ${await timelineOf(db)}`,
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
        position: seen.length > 0 ? positionAfter(after.logName, seen) : after,
        more: beyond >= 0,
      }
    },

    async earlier(before, filter, size) {
      if (!(await isOurs(before))) return undefined
      const [anchor] = before.idEnd === '' ? [] : await from(before.number, 1)
      if (before.idEnd !== '' && !(anchor?.number === before.number && isAfter(before, anchor)))
        return undefined
      const { number: start } = await oldest()
      const back = (above: number, to: number, condition: Query, limit: number) =>
        db.read(
          sql`
            ${raw(changeColumns)} WHERE number > ${above} AND number <= ${to} AND (${condition})
            ORDER BY number DESC LIMIT ${limit}`,
          toChange,
        )
      const found: Change[] = []
      let end = before.number
      for (let windows = 1; end > start && found.length < size && windows <= maxWindows; windows++) {
        const above = Math.max(start, end - windowLength)
        found.push(...(await back(above, end, matching(filter), size - found.length)))
        end = found.length < size ? above : (found.at(-1)?.number ?? 1) - 1
      }
      const { number, unit } = found.at(-1) ?? noChange
      const ofUnit = sql`unit = ${unit} AND (${matching(filter)})`
      const rest = unit === '' ? [] : await back(number - maxUnit, number - 1, ofUnit, maxUnit)
      end = Math.min(end, (rest.at(-1)?.number ?? end + 1) - 1)
      const [last] = end > start ? await from(end, 1) : []
      const idEnd = last?.number === end ? idEndOf(last.id) : ''
      const position = { logName: before.logName, number: end, idEnd }
      return { changes: [...found, ...rest], position, more: end > start }
    },

    history: (id, before = Number.MAX_SAFE_INTEGER, size) =>
      db.read(
        sql`${changesWithValue} WHERE subject = ${id} AND number < ${before} ORDER BY number DESC LIMIT ${size + 1}`,
        toPastChange,
      ),

    async ends() {
      const [[first], [last]] = await Promise.all([from(0, 1), db.read(newest, toChange)])
      return { first, last }
    },

    follow: tail.follow,
    look: tail.look,
    arrived: tail.arrived,
    arrival: tail.arrival,
    hasEnded: tail.hasEnded,
    end: tail.end,

    // The change is already durable. If its position cannot be read, the answer has no cursor.
    async reached(made) {
      const { number, id } = made.findLast((one) => one.number !== undefined) ?? {}
      const place = number === undefined || id === undefined ? latest() : past({ number, id })
      return place.catch(() => undefined)
    },

    /** Deletes the oldest changes in order, but never the newest change. */
    async sweep() {
      const rows = await from(0, sweepBatchSize + 1)
      const [last] = rows.length > 1 ? await db.read(newest, toChange) : []
      if (!last || !oldEnough) return 0
      const end = await oldEnough(last)
      const swept = rows.slice(0, -1).findLast(({ number }) => number <= end)
      if (!swept) return 0
      // Passes a key, so that the engine drops only that cache entry.
      return db.run(statement('DELETE FROM change WHERE number <= ?', [swept.number], [swept.id]))
    },
  }
}

/** Gives the copy of a log the same name, so that cursors and webhook positions stay valid. */
export const copyLogName = async (source: Database, target: Database) => {
  const [logName = ''] = await source.read(raw('SELECT history FROM change_history'), toLogName)
  await target.run(sql`UPDATE change_history SET history = ${logName}`)
}

/** Gives the log of a SQLite database a new name, which invalidates all earlier cursors. */
export const newLogName = 'UPDATE change_history SET history = lower(hex(randomblob(8)))'

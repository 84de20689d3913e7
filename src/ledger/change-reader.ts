import { memoizeSuccess } from '#core/once.ts'
import {
  type Change,
  type ChangeFilter,
  type ChangePage,
  type Changes,
  idSuffixOf,
  isAfter,
  isSameUnit,
  type Position,
} from '#http/api/change.ts'
import type { Database } from '#sql/database.ts'
import { type Query, raw, sql, statement } from '#sql/query.ts'
import { timelineOf } from '#sql/timeline.ts'
import { changeAge } from './change-age.ts'
import {
  beforeFirstChange,
  changeColumns,
  changesWithHead,
  changesWithValue,
  matches,
  matchesSql,
  newestChange,
  newestChanges,
  positionAfter,
  toChange,
  toChangeWithHead,
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

/** Limits on the change numbers per statement and the statements per answer, so that the search for a rare type delays no other request. */
const windowLength = 5_000
const maxWindows = 20

/** The maximum number of changes in a unit. */
const maxUnit = 1_000

/** Rows deleted per statement. Other writes wait for at most one such statement. */
const sweepBatchSize = 100

export interface ChangeLog extends Changes {
  sweep(): Promise<number>
  /** Wakes waiting readers if a notification of new changes was lost. */
  checkForMissed(): Promise<void>
  firstAndLast(): Promise<{ readonly first: Change | undefined; readonly last: Change | undefined }>
  close(): void
}

/** Opens the log of changes for readers. */
export const openChanges = ({ db, keepMs, uptimeMs = processUptimeMs }: ChangesParts): ChangeLog => {
  const newestExpired = keepMs === 'off' ? undefined : changeAge({ db, keepMs, uptimeMs })

  const logName = memoizeSuccess(
    async () => (await db.read(raw('SELECT history FROM change_history'), toLogName))[0] ?? '',
  )

  const isOfThisLog = async ({ logName: positionLogName }: Position) =>
    positionLogName !== '' && (await logName()).startsWith(positionLogName)

  const positionOf = async (change: Pick<Change, 'number' | 'id'>) => positionAfter(await logName(), [change])

  const latest = async () => positionAfter(await logName(), await db.read(newestChange, toChange))

  const positionBeforeOldest = async (): Promise<Position> => {
    const [first] = await db.read(raw(`${changeColumns} ORDER BY number LIMIT 1`), toChange)
    return { logName: await logName(), number: (first?.number ?? 1) - 1, idSuffix: '' }
  }

  /**
   * The matching changes among the next `windowLength` numbers. Also reads the row at the position: changes are swept oldest first, so while this
   * row exists, no change after it is missing. Undefined if the row is missing.
   */
  const readWindow = async (
    after: Position,
    filter: ChangeFilter,
    size: number,
  ): Promise<ChangePage | undefined> => {
    const first = after.idSuffix === '' ? after.number + 1 : after.number
    const last = first + windowLength
    const found = await db.read(
      sql`
        ${changesWithHead} WHERE number BETWEEN ${first} AND ${last} AND (number = ${first} OR (${matchesSql(filter)}))
        ORDER BY number LIMIT ${size + 2}`,
      toChangeWithHead,
    )
    const [anchor] = found
    if (!anchor) {
      const isAtStart = after.idSuffix === '' && (await positionBeforeOldest()).number === after.number
      return isAtStart ? { changes: [], position: after, hasMore: false } : undefined
    }
    if (anchor.number !== first || (after.idSuffix !== '' && !isAfter(after, anchor))) return undefined
    const changes = found.filter((change) => change.number > after.number && matches(change, filter))
    const page = changes.slice(0, size)
    const end = changes.length > size ? (page.at(-1)?.number ?? 0) : Math.min(last, anchor.head)
    const rowsAtEnd = found.filter(({ number }) => number === end)
    const endRows = rowsAtEnd.length > 0 ? rowsAtEnd : await readFrom(end, 1)
    const next = found.find(({ number }) => number === end + 1)
    const mayUnitContinue = end < anchor.head && (!next || isSameUnit(endRows[0], next))
    const endUnit = mayUnitContinue ? await withRestOfUnit(endRows) : endRows
    // Changes may be swept, or lost in a failover, between two statements.
    if (endUnit.length === 0 || endUnit.some(({ number }, index) => number !== end + index)) return undefined
    return {
      changes: [...page, ...endUnit.slice(1).filter((change) => matches(change, filter))],
      position: positionAfter(after.logName, endUnit),
      hasMore: (endUnit.at(-1)?.number ?? end) < anchor.head,
    }
  }

  const readFrom = (number: number, size: number) =>
    db.read(sql`${raw(changeColumns)} WHERE number >= ${number} ORDER BY number LIMIT ${size}`, toChange)

  /** Appends the rest of the unit to which the last change belongs. */
  const withRestOfUnit = async (changes: readonly Change[]) => {
    const { number, unit } = changes.at(-1) ?? beforeFirstChange
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
    if (!(await isOfThisLog(after))) return undefined
    let position = after
    for (let windows = 1; ; windows++) {
      const page = await readWindow(position, filter, size)
      if (!page?.hasMore || page.changes.length > 0 || windows === maxWindows) return page
      position = page.position
    }
  }

  const tail = changeTail(db, {
    from: async (number, size) => {
      const found = await readFrom(number, size)
      return found.length < size ? found : withRestOfUnit(found)
    },
    newest: async (size) => (await db.read(newestChanges(size), toChange)).toReversed(),
  })

  return {
    branchId: async () => `${await logName()} ${await timelineOf(db)}`,
    latest,
    oldest: positionBeforeOldest,
    read,

    readFromMemory: async (after, filter, size) => {
      const cached = tail.after(after)
      if (!cached) return read(after, filter, size)
      const found = cached.filter((change) => matches(change, filter))
      const nextUnitIndex = found.findIndex((one, at) => at >= size && !isSameUnit(found[at - 1], one))
      const page = nextUnitIndex < 0 ? found : found.slice(0, nextUnitIndex)
      const lastRead = nextUnitIndex < 0 ? cached.slice(-1) : page.slice(-1)
      return {
        changes: page,
        position: lastRead.length > 0 ? positionAfter(after.logName, lastRead) : after,
        hasMore: nextUnitIndex >= 0,
      }
    },

    async readBackwards(before, filter, size) {
      if (!(await isOfThisLog(before))) return undefined
      const [anchor] = before.idSuffix === '' ? [] : await readFrom(before.number, 1)
      if (before.idSuffix !== '' && !(anchor?.number === before.number && isAfter(before, anchor)))
        return undefined
      const { number: start } = await positionBeforeOldest()
      const readBack = (above: number, to: number, condition: Query, limit: number) =>
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
        found.push(...(await readBack(above, end, matchesSql(filter), size - found.length)))
        end = found.length < size ? above : (found.at(-1)?.number ?? 1) - 1
      }
      const { number, unit } = found.at(-1) ?? beforeFirstChange
      const sameUnit = sql`unit = ${unit} AND (${matchesSql(filter)})`
      const rest = unit === '' ? [] : await readBack(number - maxUnit, number - 1, sameUnit, maxUnit)
      end = Math.min(end, (rest.at(-1)?.number ?? end + 1) - 1)
      const [last] = end > start ? await readFrom(end, 1) : []
      const idSuffix = last?.number === end ? idSuffixOf(last.id) : ''
      const position = { logName: before.logName, number: end, idSuffix }
      return { changes: [...found, ...rest], position, hasMore: end > start }
    },

    historyOf: (resource, id, { before = Number.MAX_SAFE_INTEGER, size }) => {
      const earlier = sql`subject = ${id} AND type LIKE ${`${resource}.%`} AND number < ${before}`
      const query = sql`${changesWithValue} WHERE ${earlier} ORDER BY number DESC LIMIT ${size + 1}`
      return db.read(query, toPastChange)
    },

    async firstAndLast() {
      const [[first], [last]] = await Promise.all([readFrom(0, 1), db.read(newestChange, toChange)])
      return { first, last }
    },

    follow: tail.follow,
    checkForMissed: tail.checkForMissed,
    arrivalCount: tail.arrivalCount,
    nextArrival: tail.nextArrival,
    isStopping: tail.hasEnded,
    close: tail.close,

    // The changes are already durable. If their position cannot be read, the answer just has no cursor.
    async positionAfterWrites(changes) {
      const { number, id } = changes.findLast((one) => one.number !== undefined) ?? {}
      const position = number === undefined || id === undefined ? latest() : positionOf({ number, id })
      return position.catch(() => undefined)
    },

    /** Deletes the oldest changes in order, but never the newest change. */
    async sweep() {
      const rows = await readFrom(0, sweepBatchSize + 1)
      const [last] = rows.length > 1 ? await db.read(newestChange, toChange) : []
      if (!last || !newestExpired) return 0
      const end = await newestExpired(last)
      const lastExpired = rows.slice(0, -1).findLast(({ number }) => number <= end)
      if (!lastExpired) return 0
      // A statement without keys would empty the cache of records. Changes are not cached by key, so one key is enough.
      return db.run(statement('DELETE FROM change WHERE number <= ?', [lastExpired.number], [lastExpired.id]))
    },
  }
}

/** Gives the copy of a log the name of the original, so that cursors and webhook positions stay valid. */
export const copyLogName = async (source: Database, target: Database) => {
  const [logName = ''] = await source.read(raw('SELECT history FROM change_history'), toLogName)
  await target.run(sql`UPDATE change_history SET history = ${logName}`)
}

/** Gives the log of a SQLite database a new name, which invalidates all earlier cursors. */
export const newLogName = 'UPDATE change_history SET history = lower(hex(randomblob(8)))'

import { readFileSync } from 'node:fs'
import type { Clock } from '#core/clock.ts'
import type { Row } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { type OpenOptions, openDatabase } from '#sql/open.ts'
import { certificateFilesOf, findUrlFault } from '#sql/postgres/wire/url.ts'
import { raw } from '#sql/query.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { SettingError, throwUnreadable } from '#src/config.ts'

/** Opens the database of a setting or a flag. First checks that the files which the URL names can be read. */
export const openConfiguredDatabase = async (url: string, options?: OpenOptions): Promise<Engine> => {
  requireReadableFiles(url)
  try {
    return await openDatabase(url, options)
  } catch (error) {
    if (error instanceof DataUnusable && error.reason === 'wrongParameter')
      throw new SettingError(error.message)
    throw error
  }
}

/** Refuses a URL whose certificates cannot be read, because authentication needs them. */
const requireReadableFiles = (url: string): void => {
  if (!url.startsWith('postgres')) return
  const fault = findUrlFault(url)
  if (fault !== undefined) throw new SettingError(fault)
  for (const [name, path] of certificateFilesOf(url))
    try {
      readFileSync(path)
    } catch (error) {
      throwUnreadable(`The ${name} of the database`, path)(error)
    }
}

/** Rate limits that instances share are only as exact as their clocks, so each instance compares its clock with that of the database. */
const maxDifferenceMs = 1_000

/** Reports a wrong clock of this machine if other instances may use the same database. */
export const clockFault = async (db: Engine, clock: Clock): Promise<string | undefined> => {
  if (db.engine === 'sqlite') return undefined
  const requestedAt = clock.now()
  const [databaseNow = requestedAt] = await db.read(databaseClock, toInstant)
  const receivedAt = clock.now()
  // The database read its clock at an unknown moment between `requestedAt` and `receivedAt`.
  const aheadMs =
    databaseNow < requestedAt ? requestedAt - databaseNow : Math.min(receivedAt - databaseNow, 0)
  if (Math.abs(aheadMs) <= maxDifferenceMs) return undefined
  const difference = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  return `The clock is ${difference} that of the database: rate limits and the throttle of logins, which instances share, are not reliable.`
}

/** A task that fails if the clock of this machine differs from that of PostgreSQL or, with SQLite, was set since the last run. */
export const clockWatch = ({ db, clock, uptimeMs }: ClockParts) => {
  const startedAt = () => clock.now() - uptimeMs()
  let last = startedAt()
  return async () => {
    const movedMs = startedAt() - last
    last += movedMs
    const wasSet =
      Math.abs(movedMs) > maxDifferenceMs && `The clock was set by ${(movedMs / 1000).toFixed(1)} s.`
    const fault = db.engine === 'sqlite' ? wasSet : await clockFault(db, clock)
    if (fault) throw new Error(fault)
  }
}

interface ClockParts {
  readonly db: Engine
  readonly clock: Clock
  uptimeMs(): number
}

const databaseClock = raw('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')

const toInstant = (row: Row) => Number(row.now)

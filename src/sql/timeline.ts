import type { Database, Row } from './database.ts'
import { codeOf } from './postgres/errors.ts'
import { raw } from './query.ts'

/**
 * The PostgreSQL timeline of a database. The timeline changes when a standby is promoted or a backup is restored to a point in
 * time, and then the last commits may be lost. Empty for SQLite, and if the server does not reveal the timeline.
 */
export const timelineOf = async (db: Database): Promise<string> => {
  if (db.engine === 'sqlite') return ''
  try {
    return (await db.read(timeline, toTimeline))[0] ?? ''
  } catch (error) {
    if (unavailableCodes.includes(String(codeOf(error)))) return ''
    throw error
  }
}

const timeline = raw('SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline')

/** The server does not support the function (some managed servers do not), or does not permit it. */
const unavailableCodes = ['0A000', '42501']

const toTimeline = (row: Row) => String(row.timeline)

import type { Database, Row } from './database.ts'
import { codeOf } from './postgres/errors.ts'
import { raw } from './query.ts'

/**
 * Names the line of commits that a database is on: another one after a standby was promoted or a backup was restored to some
 * moment, either of which may lack the last commits. Empty for SQLite, and where the server does not tell.
 */
export const timelineOf = async (db: Database): Promise<string> => {
  if (db.engine === 'sqlite') return ''
  try {
    return (await db.read(timeline, toTimeline))[0] ?? ''
  } catch (error) {
    if (untold.includes(String(codeOf(error)))) return ''
    throw error
  }
}

const timeline = raw('SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline')

/** Not supported, as by some managed servers, or not permitted. */
const untold = ['0A000', '42501']

const toTimeline = (row: Row) => String(row.timeline)

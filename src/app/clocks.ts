import type { Clock } from '#core/clock.ts'
import type { Row } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { raw } from '#sql/query.ts'

/** Limits that instances share are only as exact as their clocks. Each instance compares its clock with the database's. */
const mostApartMs = 1_000

/** What to report about this machine's clock, if other instances may use the same database. */
export const clockFault = async (db: Engine, clock: Clock): Promise<string | undefined> => {
  if (db.engine === 'sqlite') return undefined
  const askedAt = clock.now()
  const [there = askedAt] = await db.read(clockThere, toInstant)
  const heardAt = clock.now()
  // The database read its clock at some unknown moment between these two.
  const aheadMs = there < askedAt ? askedAt - there : Math.min(heardAt - there, 0)
  if (Math.abs(aheadMs) <= mostApartMs) return undefined
  const apart = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  return `The clock is ${apart} that of the database: rate limits and the throttle of logins, which instances share, are not reliable.`
}

const clockThere = raw('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')

const toInstant = (row: Row) => Number(row.now)

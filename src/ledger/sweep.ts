import type { Instant } from '#core/clock.ts'
import type { Database } from '#sql/database.ts'
import { raw, sql } from '#sql/query.ts'

/** Something that forgets what has expired, a little at a time. */
export interface Sweepable {
  /** How many were forgotten. */
  sweep(): Promise<number>
}

const sweepEveryMs = 60_000

/** Sweeps now and then, for as long as there is something to sweep. */
export const sweeping = (sweepable: Sweepable, failed: (error: unknown) => void) => {
  let isStopped = false
  const sweep = async () => {
    while (!isStopped && (await sweepable.sweep()) > 0);
  }
  const timer = setInterval(() => void sweep().catch(failed), sweepEveryMs)
  timer.unref()
  return {
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}

interface Expiring {
  readonly table: string
  /** The column that says until when a row holds. */
  readonly until: string
}

/** Rows that go at a time: so few that a sweep holds nobody up. */
const sweptAtOnce = 500

/** Deletes some of the rows that no longer hold, and says how many. */
export const sweepExpired = (db: Database, { table, until }: Expiring, now: Instant): Promise<number> =>
  db.run(sql`
      DELETE FROM ${raw(table)} WHERE scope IN
        (SELECT scope FROM ${raw(table)} WHERE ${raw(until)} <= ${now} LIMIT ${sweptAtOnce})`)

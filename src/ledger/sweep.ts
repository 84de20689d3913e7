import type { Instant } from '#core/clock.ts'
import type { Database } from '#sql/database.ts'
import { raw, sql } from '#sql/query.ts'

/** Something that deletes expired rows, a few at a time. */
export interface Sweepable {
  /** Returns how many were deleted. */
  sweep(): Promise<number>
}

const sweepIntervalMs = 60_000

/** Sweeps every minute, each time until nothing is left to sweep. */
export const sweeping = (sweepable: Sweepable, failed: (error: unknown) => void) => {
  let isStopped = false
  const sweep = async () => {
    while (!isStopped && (await sweepable.sweep()) > 0);
  }
  const timer = setInterval(() => void sweep().catch(failed), sweepIntervalMs)
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
  /** The column that says when a row expires. */
  readonly until: string
}

/** Rows deleted per statement: few enough not to hold anybody up. */
const sweepBatchSize = 500

/** Deletes some of the expired rows, and returns how many. */
export const sweepExpired = (db: Database, { table, until }: Expiring, now: Instant): Promise<number> =>
  db.run(sql`
      DELETE FROM ${raw(table)} WHERE scope IN
        (SELECT scope FROM ${raw(table)} WHERE ${raw(until)} <= ${now} LIMIT ${sweepBatchSize})`)

import type { Clock, Instant } from '#core/clock.ts'
import type { Tasks } from '#core/tasks.ts'
import type { Database } from '#sql/database.ts'
import { raw, sql } from '#sql/query.ts'

/** Deletes some of the rows that expired before `now`, and returns the number of deleted rows. */
export type Sweep = (now: Instant) => Promise<number>

/** The uptime of this process. Unlike the clock, it cannot be set. */
export const processUptimeMs = () => Math.floor(process.uptime() * 1000)

export interface Sweepable {
  readonly sweep: Sweep
}

interface SweepSettings {
  readonly tasks: Tasks
  readonly clock: Clock
  readonly uptimeMs: () => number
  readonly periodMs: number
}

/**
 * Runs a task for each kind of row. Each run continues until nothing is left to sweep. Setting the clock ahead deletes nothing too
 * early, because the time is never later than the start of the process plus its uptime.
 */
export const startSweeps = (
  { tasks, clock, uptimeMs, periodMs }: SweepSettings,
  sweeps: Readonly<Record<string, Sweep>>,
) => {
  const startedAt = clock.now() - uptimeMs()
  const now = () => Math.min(clock.now(), startedAt + uptimeMs())
  const stops = Object.entries(sweeps).map(([name, sweep]) =>
    tasks.every(`sweep ${name}`, periodMs, async (isStopped) => {
      while (!isStopped() && (await sweep(now())) > 0);
    }),
  )
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

interface ExpiringRows {
  readonly table: string
  readonly keyColumn: string
  readonly expiryColumn: string
}

/** Rows deleted per statement: few enough that other writes wait only briefly. */
const sweepBatchSize = 500

/** Deletes some of the expired rows, and returns their number. In PostgreSQL, rows must also have expired by the clock of the server. */
export const sweepExpired = (
  db: Database,
  { table, keyColumn, expiryColumn }: ExpiringRows,
  now: Instant,
): Promise<number> => {
  const end = db.engine === 'sqlite' ? sql`${now}` : sql`least(${now}, ${raw(databaseNow)})`
  return db.run(sql`
    DELETE FROM ${raw(table)} WHERE ${raw(keyColumn)} IN
      (SELECT ${raw(keyColumn)} FROM ${raw(table)} WHERE ${raw(expiryColumn)} <= ${end} LIMIT ${sweepBatchSize})`)
}

const databaseNow = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

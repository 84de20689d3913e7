import type { Clock, Instant } from '#core/clock.ts'
import type { Tasks } from '#core/tasks.ts'
import type { Database } from '#sql/database.ts'
import { raw, sql } from '#sql/query.ts'

/** Deletes some of the rows that expired before this moment, and returns how many. */
export type Sweep = (now: Instant) => Promise<number>

/** How long this process has run. Unlike a clock, nobody can set it. */
export const processUptimeMs = () => Math.floor(process.uptime() * 1000)

export interface Sweepable {
  readonly sweep: Sweep
}

interface Sweeping {
  readonly tasks: Tasks
  readonly clock: Clock
  readonly uptimeMs: () => number
  readonly periodMs: number
}

/**
 * Runs a task for each kind of row, each time until nothing is left to sweep. Setting the clock ahead deletes nothing, because
 * time goes on from the start of the process by its uptime.
 */
export const sweeping = (
  { tasks, clock, uptimeMs, periodMs }: Sweeping,
  sweeps: Readonly<Record<string, Sweep>>,
) => {
  const startedAt = clock.now() - uptimeMs()
  const now = () => Math.min(clock.now(), startedAt + uptimeMs())
  const stops = Object.entries(sweeps).map(([what, sweep]) =>
    tasks.every(`sweep ${what}`, periodMs, async (isStopped) => {
      while (!isStopped() && (await sweep(now())) > 0);
    }),
  )
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

interface Expiring {
  readonly table: string
  /** The column that names a row. */
  readonly key: string
  /** The column that says when a row expires. */
  readonly until: string
}

/** Rows deleted per statement: few enough that other writes wait only briefly. */
const sweepBatchSize = 500

/** Deletes some of the expired rows, and returns how many. In PostgreSQL they must also have expired by the clock of the server. */
export const sweepExpired = (
  db: Database,
  { table, key, until }: Expiring,
  now: Instant,
): Promise<number> => {
  const end = db.engine === 'sqlite' ? sql`${now}` : sql`least(${now}, ${raw(databaseNow)})`
  return db.run(sql`
    DELETE FROM ${raw(table)} WHERE ${raw(key)} IN
      (SELECT ${raw(key)} FROM ${raw(table)} WHERE ${raw(until)} <= ${end} LIMIT ${sweepBatchSize})`)
}

const databaseNow = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

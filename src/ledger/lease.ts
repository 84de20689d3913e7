import { randomUUID } from 'node:crypto'
import type { Clock } from '#core/clock.ts'
import type { Database } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'

interface LeaseParts {
  readonly db: Database
  readonly clock: Clock
  /** The task that one instance does for all instances. */
  readonly name: string
  /** The duration of the lease, unless it is renewed. */
  readonly durationMs: number
}

/** Elects one instance for a task. A SQLite database has only one process, which always holds the lease. */
export const lease = ({ db, clock, name, durationMs }: LeaseParts) => {
  const holder = randomUUID()
  return {
    /** The interval at which the holder renews the lease. */
    renewMs: durationMs / 3,

    /**
     * Takes or renews the lease. False while another instance holds the lease. The clock of the holder may be ahead by up to
     * `durationMs`. An end further in the future was written before a clock was set back, so it is ignored.
     */
    async acquire(): Promise<boolean> {
      if (db.engine === 'sqlite') return true
      const now = clock.now()
      const held = await db.run(sql`
        INSERT INTO lease (name, holder, ends_at) VALUES (${key(name)}, ${holder}, ${now + durationMs})
        ON CONFLICT (name) DO UPDATE SET holder = ${holder}, ends_at = ${now + durationMs}
        WHERE lease.holder = ${holder} OR lease.ends_at NOT BETWEEN ${now + 1} AND ${now + 2 * durationMs}`)
      return held === 1
    },

    async release(): Promise<void> {
      if (db.engine === 'sqlite') return
      await db.run(sql`DELETE FROM lease WHERE name = ${key(name)} AND holder = ${holder}`)
    },
  }
}

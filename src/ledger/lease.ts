import { randomUUID } from 'node:crypto'
import type { Clock } from '#core/clock.ts'
import type { Database } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'

interface LeaseParts {
  readonly db: Database
  readonly clock: Clock
  /** The task that one instance does for all. */
  readonly name: string
  /** How long the lease lasts unless it is renewed. */
  readonly lastingMs: number
}

/** Elects one instance among all. On SQLite there is one process, which always holds it. */
export const lease = ({ db, clock, name, lastingMs }: LeaseParts) => {
  const holder = randomUUID()
  return {
    /** How often the holder renews it. */
    renewMs: lastingMs / 3,

    /**
     * Takes or renews the lease. False while another instance holds it. The holder's clock may be ahead by up to `lastingMs`. An
     * end further in the future was written before a clock was set back, so it is ignored.
     */
    async hold(): Promise<boolean> {
      if (db.engine === 'sqlite') return true
      const now = clock.now()
      const held = await db.run(sql`
        INSERT INTO lease (name, holder, ends_at) VALUES (${key(name)}, ${holder}, ${now + lastingMs})
        ON CONFLICT (name) DO UPDATE SET holder = ${holder}, ends_at = ${now + lastingMs}
        WHERE lease.holder = ${holder} OR lease.ends_at NOT BETWEEN ${now + 1} AND ${now + 2 * lastingMs}`)
      return held === 1
    },

    async release(): Promise<void> {
      if (db.engine === 'sqlite') return
      await db.run(sql`DELETE FROM lease WHERE name = ${key(name)} AND holder = ${holder}`)
    },
  }
}

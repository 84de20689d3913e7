import type { Clock, Instant } from '#core/clock.ts'
import type { Database, Row } from '#sql/database.ts'
import { key, lookup, sql } from '#sql/query.ts'
import { sweepExpired } from './sweep.ts'

/** The topic for principals that were deleted or whose tokens were ended. The payload is the name. */
export const principalTopic = 'principal'

/** Ends all tokens, because a backup does not know which tokens were ended after it was made. */
export const endOfAllTokens = "DELETE FROM secret WHERE name = 'token'"

/** When the tokens of a principal were ended. Stored as long as a token lasts. */
export const tokenEnds = (db: Database, clock: Clock, lastingMs: number) => ({
  find: (name: string): Promise<Instant | undefined> => db.find(byName(name), toEnd),

  /** Tells every instance. */
  end: (name: string): Promise<void> =>
    db.write(async (tx) => {
      const now = clock.now()
      await tx.run(sql`
        INSERT INTO token_end (name, ended_at, forgotten_at) VALUES (${key(name)}, ${now}, ${now + lastingMs})
        ON CONFLICT (name) DO UPDATE SET ended_at = ${now}, forgotten_at = ${now + lastingMs}`)
      await tx.publish(principalTopic, name)
    }),

  sweep: (now: Instant) => sweepExpired(db, { table: 'token_end', key: 'name', until: 'forgotten_at' }, now),
})

const byName = lookup({ select: 'SELECT *', from: 'token_end', key: 'name' })

const toEnd = (row: Row): Instant => Number(row.ended_at)

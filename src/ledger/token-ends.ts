import type { Clock, Instant } from '#core/clock.ts'
import type { Database, Row } from '#sql/database.ts'
import { key, lookup, sql } from '#sql/query.ts'
import { sweepExpired } from './sweep.ts'

/** Notifications about principals that were deleted or whose tokens were ended. The payload is the name of the principal. */
export const principalTopic = 'principal'

/** Ends all tokens after a restore, because a backup does not say which tokens were ended after it was made. */
export const endAllTokens = "DELETE FROM secret WHERE name = 'token'"

/** Stores the time at which the tokens of a principal were ended, for as long as a token lasts. */
export const tokenEnds = (db: Database, clock: Clock, tokenLifetimeMs: number) => ({
  find: (name: string): Promise<Instant | undefined> => db.find(tokenEndByName(name), toEndedAt),

  /** Ends the tokens of a principal, and notifies every instance. */
  end: (name: string): Promise<void> =>
    db.write(async (tx) => {
      const now = clock.now()
      await tx.run(sql`
        INSERT INTO token_end (name, ended_at, forgotten_at) VALUES (${key(name)}, ${now}, ${now + tokenLifetimeMs})
        ON CONFLICT (name) DO UPDATE SET ended_at = ${now}, forgotten_at = ${now + tokenLifetimeMs}`)
      await tx.publish(principalTopic, name)
    }),

  sweep: (now: Instant) =>
    sweepExpired(db, { table: 'token_end', keyColumn: 'name', expiryColumn: 'forgotten_at' }, now),
})

const tokenEndByName = lookup({ select: 'SELECT *', from: 'token_end', key: 'name' })

const toEndedAt = (row: Row): Instant => Number(row.ended_at)

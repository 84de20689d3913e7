import { systemClock } from '#core/clock.ts'
import { risingIds } from '#core/id.ts'
import { changeLog } from '#ledger/change-log.ts'
import type { Database } from '#sql/database.ts'

/** Enters changes in the log of a database. */
export const announcing = (db: Database) =>
  changeLog({ db, clock: systemClock, newId: risingIds(systemClock) })

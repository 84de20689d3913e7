import { systemClock } from '#core/clock.ts'
import { increasingIds } from '#core/id.ts'
import { logEntryMaker } from '#ledger/change-log.ts'

/** Makes a change log for a database, to which stores append. */
export const newChangeLog = () => logEntryMaker({ clock: systemClock, newId: increasingIds(systemClock) })

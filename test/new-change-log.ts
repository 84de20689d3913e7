import { systemClock } from '#core/clock.ts'
import { increasingIds } from '#core/id.ts'
import { changeLog } from '#ledger/change-log.ts'

/** Appends changes to the log of a database. */
export const newChangeLog = () => changeLog({ clock: systemClock, newId: increasingIds(systemClock) })

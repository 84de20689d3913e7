import type { Change } from '#http/api/change.ts'
import { checksum } from '#sql/checksum.ts'
import type { Database, Row } from '#sql/database.ts'
import { chainHash } from '#sql/log-table.ts'
import { raw } from '#sql/query.ts'
import { checksumMismatch, type Finding } from '#sql/records.ts'
import { changeColumns, toChange } from './change-rows.ts'

/** The newest change. Its hash proves this change and all before it. */
export interface Head {
  readonly number: number
  readonly hash: string
}

interface ChainedChange extends Change {
  /** The hash of the change before. Null if this change is older than the hash chain. */
  readonly previous: string | null
}

/**
 * Reads the whole log and reports changes that were altered, added or removed later: each change holds the hash of the one before.
 * Only a head that was stored elsewhere (`kept`) shows whether the newest changes are still there, unaltered. Returns the head of the log.
 */
export async function* verifyChanges(db: Database, kept?: Head): AsyncGenerator<Finding, Head | undefined> {
  let last: ChainedChange | undefined
  let isKeptFound = false
  for await (const batch of db.stream(chainQuery, toChainedChange))
    for (const one of batch) {
      for (const says of faultsBetween(last, one)) yield { what: 'change', id: String(one.number), says }
      if (one.number === kept?.number) {
        isKeptFound = true
        if (hashOf(one) !== kept.hash) yield { what: 'change', id: String(one.number), says: otherThanKept }
      }
      last = one
    }
  if (kept && !isKeptFound) yield { what: 'change', id: String(kept.number), says: 'it is not in the log' }
  for await (const batch of db.stream(
    raw('SELECT number, value, checksum FROM change WHERE value IS NOT NULL'),
    faultyValue,
  ))
    for (const id of batch)
      if (id !== undefined) yield { what: 'value of change', id, says: checksumMismatch }
  return last && { number: last.number, hash: hashOf(last) }
}

const otherThanKept = 'its hash is not the kept one: it, or a change before it, was altered'

const chainQuery = raw(`${changeColumns.replace(' FROM', ', previous FROM')} ORDER BY number`)

const toChainedChange = (row: Row): ChainedChange => ({
  ...toChange(row),
  previous: row.previous === null ? null : String(row.previous),
})

const faultyValue = ({ number, value, checksum: written }: Row) =>
  checksum([value ?? null]) === Number(written) ? undefined : String(number)

/** The faults between two neighbours. The oldest kept change has no neighbour before it. */
const faultsBetween = (
  last: ChainedChange | undefined,
  { number, previous }: ChainedChange,
): readonly string[] => {
  if (!last)
    return number === 1 && previous ? ['it is the first change, but holds the hash of one before it'] : []
  if (number !== last.number + 1) return [`the changes between ${last.number} and it are missing`]
  if (previous === null) return last.previous === null ? [] : ['it lacks the hash of the one before']
  return previous === hashOf(last) ? [] : ['the hash that it holds is not that of the change before it']
}

/** Lists the values in the order in which the log was hashed: `previous`, `number`, then the columns in `hashed` of the change log. */
const hashOf = ({
  previous,
  number,
  id,
  type,
  subject,
  version,
  changed,
  time,
  unit,
  track,
  by,
}: ChainedChange) =>
  chainHash([previous, number, id, type, subject, version, changed.join(), time, unit, track, by])

import type { Change } from '#http/api/change.ts'
import { checksum } from '#sql/checksum.ts'
import type { Database, Row } from '#sql/database.ts'
import { chainHash } from '#sql/log-table.ts'
import { raw } from '#sql/query.ts'
import { checksumMismatch, type Finding } from '#sql/records.ts'
import { changeColumns, toChange } from './change-rows.ts'

/** The newest change. Its hash proves this change and all earlier ones. */
export interface Head {
  readonly number: number
  readonly hash: string
}

interface ChainedChange extends Change {
  /** The hash of the previous change. Null if this change is older than the hash chain. */
  readonly previous: string | null
}

/**
 * Reads the whole log and reports changes that were altered, added or removed after they were written. Each change proves the
 * previous one by its hash. Only `expectedHead`, which was stored elsewhere, proves the newest change. Returns the head of the log.
 */
export async function* verifyChanges(
  db: Database,
  expectedHead?: Head,
): AsyncGenerator<Finding, Head | undefined> {
  let previousChange: ChainedChange | undefined
  let isHeadFound = false
  for await (const batch of db.stream(chainQuery, toChainedChange))
    for (const one of batch) {
      for (const says of chainFaults(previousChange, one))
        yield { what: 'change', id: String(one.number), says }
      if (one.number === expectedHead?.number) {
        isHeadFound = true
        if (hashOf(one) !== expectedHead.hash)
          yield { what: 'change', id: String(one.number), says: hashDiffers }
      }
      previousChange = one
    }
  if (expectedHead && !isHeadFound)
    yield { what: 'change', id: String(expectedHead.number), says: 'the log lacks this change' }
  for await (const batch of db.stream(
    raw('SELECT number, value, checksum FROM change WHERE value IS NOT NULL'),
    faultyValue,
  ))
    for (const id of batch)
      if (id !== undefined) yield { what: 'value of change', id, says: checksumMismatch }
  return previousChange && { number: previousChange.number, hash: hashOf(previousChange) }
}

const hashDiffers = 'its hash differs from the given hash: this change or an earlier one was altered'

const chainQuery = raw(`${changeColumns.replace(' FROM', ', previous FROM')} ORDER BY number`)

const toChainedChange = (row: Row): ChainedChange => ({
  ...toChange(row),
  previous: row.previous === null ? null : String(row.previous),
})

const faultyValue = ({ number, value, checksum: written }: Row) =>
  checksum([value ?? null]) === Number(written) ? undefined : String(number)

/** The faults between a change and the previous one. There is no change before the oldest one. */
const chainFaults = (
  last: ChainedChange | undefined,
  { number, previous }: ChainedChange,
): readonly string[] => {
  if (!last) return number === 1 && previous ? ['the first change holds the hash of an earlier one'] : []
  if (number !== last.number + 1) return [`the changes between ${last.number} and this one are missing`]
  if (previous === null) return last.previous === null ? [] : ['the hash of the previous change is missing']
  return previous === hashOf(last) ? [] : ['the stored hash of the previous change is not its hash']
}

/** Hashes the values in the order of the log: `previous`, `number`, then the `hashedColumns` of `changeLogTable`. */
const hashOf = (change: ChainedChange) => {
  const { previous, number, id, type, subject, version, changed, time, unit, track, author } = change
  return chainHash([previous, number, id, type, subject, version, changed.join(), time, unit, track, author])
}

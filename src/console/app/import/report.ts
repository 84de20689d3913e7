import { reasonOf } from '#console/app/ui/failed.tsx'
import { saveCsv } from '#console/app/ui/save-csv.ts'
import type { Words } from '#console/app/words/index.ts'
import type { Batch } from './record.ts'
import type { Refusal } from './send.ts'

/** Saves a report of the refused records: where, why, and the code. The content is left out, because it may hold a password. */
export const saveReport = (refusals: readonly Refusal[], unit: Batch['unit'], words: Words) => {
  const rows = refusals.flatMap(({ record: { line, fault = 'unparsed' }, failure }) => {
    const at = String(line)
    if (!failure) return [[at, undefined, undefined, words.import.faults[fault]]]
    if (failure.details.length === 0) return [[at, failure.code, undefined, reasonOf(failure, words)]]
    return failure.details.map(({ code, target, message }) => [at, code, target, message])
  })
  saveCsv('rollcall-refused.csv', [[unit, 'code', 'field', 'reason'], ...rows])
}

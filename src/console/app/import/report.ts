import { reasonOf } from '#console/app/ui/failed.tsx'
import type { Words } from '#console/app/words/index.ts'
import type { Batch } from './record.ts'
import type { Refusal } from './send.ts'

/** A byte order mark tells spreadsheets that it is UTF-8. */
const mark = '\uFEFF'

/** The refused records as a CSV file: where, why, and by which code. What stood there stays out: it may hold a password. */
const reportOf = (refusals: readonly Refusal[], unit: Batch['unit'], words: Words): string => {
  const heading = [unit, 'code', 'field', 'reason']
  const rows = refusals.flatMap(({ record: { line, fault = 'unparsed' }, failure }) => {
    if (!failure) return [[line, '', '', words.import.faults[fault]]]
    if (failure.details.length === 0) return [[line, failure.code, '', reasonOf(failure, words)]]
    return failure.details.map(({ code, target = '', message }) => [line, code, target, message])
  })
  return mark + [heading, ...rows].map((cells) => cells.map(cellOf).join(',')).join('\r\n')
}

/** What a spreadsheet would take for a formula begins with an apostrophe. */
const cellOf = (value: string | number) =>
  `"${String(value)
    .replace(/^[=+\-@]/, "'$&")
    .replaceAll('"', '""')}"`

export const saveReport = (refusals: readonly Refusal[], unit: Batch['unit'], words: Words) => {
  const address = URL.createObjectURL(new Blob([reportOf(refusals, unit, words)], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = 'rollcall-refused.csv'
  link.click()
  URL.revokeObjectURL(address)
}

import { cellOf, writeCsv } from '#core/csv.ts'
import type { Format } from './reading.ts'

/** Writes each batch of records as a piece of text. */
export async function* writeRecords(
  format: Format,
  batches: AsyncIterable<readonly object[]>,
  fields: readonly string[],
): AsyncGenerator<string> {
  if (format === 'csv') yield writeCsv(fields)
  if (format === 'json') yield '['
  let isFirst = true
  for await (const batch of batches) {
    let text = ''
    for (const record of batch) {
      if (format === 'csv') text += writeCsv(fields.map((field) => cellOf(record, field)))
      else if (format === 'ndjson') text += `${JSON.stringify(record)}\n`
      else text += `${isFirst ? '\n' : ',\n'}${JSON.stringify(record)}`
      isFirst = false
    }
    yield text
  }
  if (format === 'json') yield '\n]\n'
}

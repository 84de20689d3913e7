import { extname } from 'node:path'
import { UsageError } from './exit.ts'
import type { Format } from './formats/reading.ts'

/** The format by file extension. Unknown extensions are not guessed: a wrong format would refuse every record, or write the wrong file. */
export const formatOf = (file: string): Format => {
  const format = byExtension[extname(file).toLowerCase()]
  if (format) return format
  throw new UsageError(
    `${file} does not end in .ndjson, .jsonl, .json or .csv: name its format with --format.`,
  )
}

const byExtension: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.csv': 'csv',
}

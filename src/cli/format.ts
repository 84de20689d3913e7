import { extname } from 'node:path'
import { WrongUse } from './exit.ts'
import type { Format } from './formats/reading.ts'

/** By the end of a file's name. Another end is not guessed at: a wrong format would refuse every record, or write the wrong file. */
export const formatOf = (file: string): Format => {
  const format = byEnd[extname(file)]
  if (format) return format
  throw new WrongUse(`${file} does not end in .ndjson, .jsonl, .json or .csv: say with --format what it is.`)
}

const byEnd: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.csv': 'csv',
}

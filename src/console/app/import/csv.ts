export interface CsvRow {
  /** Where in the file it begins, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** Rows as RFC 4180 has them: a quoted cell may hold commas, line breaks and doubled quotes. */
export function* csvRows(text: string): Generator<CsvRow> {
  let line = 1
  let startedAt = 1
  let cells: string[] = []
  for (const [whole, quoted, plain = '', end] of text.matchAll(cellShape)) {
    cells.push(quoted === undefined ? plain : quoted.slice(1, -1).replaceAll('""', '"'))
    line += whole.split('\n').length - 1
    if (end === ',') continue
    if (cells.length > 1 || cells[0] !== '') yield { line: startedAt, cells }
    if (end === '') return
    cells = []
    startedAt = line
  }
}

const cellShape = /(?:("[^"]*(?:""[^"]*)*")|([^,\r\n]*))(,|\r?\n|\r|$)/g

import { extname } from 'node:path'
import { Option } from 'commander'
import { type CsvFields, flagOf, readCsv, undefused, widthFault } from '#core/csv.ts'
import { cellReader, dateOrderOf, isReport } from '#core/foreign.ts'
import { parseJson } from '#http/message/body/json.ts'
import { readArray } from '#http/message/body/json-array.ts'
import type { Position } from '#http/message/body/position.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import { UsageError } from '#src/cli/exit.ts'
import { columnNames, type Mapping, noNames } from './fields.ts'

const formats = ['ndjson', 'json', 'csv'] as const

export type Format = (typeof formats)[number]

/** The flag that names a format. */
export const formatOption = (description: string) =>
  new Option('--format <format>', description).choices(formats)

/** The place of a record in its file. */
export interface Where {
  readonly line: number
  /** The number of the element in an array, whose elements may share a line. */
  readonly element?: number
}

/** A number that is unique to the record within its file, and increases. */
export const placeOf = ({ line, element }: Where) => element ?? line

/** A record of a file, not parsed yet; `parse` may throw. */
export interface Entry extends Where {
  /** What it says, as a text. */
  readonly content: string
  parse(): unknown
}

/** The records of a file, one at a time. */
export const readEntries = (
  format: Format,
  chunks: AsyncIterable<string>,
  schema: JsonSchema,
  mapping: Mapping = {},
): AsyncIterable<Entry> => {
  if (format === 'csv') return csvRows(chunks, schema, mapping)
  return format === 'json' ? jsonElements(chunks) : ndjsonLines(chunks)
}

const maxLineLength = 1024 * 1024

async function* ndjsonLines(chunks: AsyncIterable<string>): AsyncGenerator<Entry> {
  let rest = ''
  let line = 0
  for await (const chunk of chunks) {
    const texts = (rest + chunk).split('\n')
    rest = texts.pop() ?? ''
    if (rest.length > maxLineLength) throw new Error(`line ${line + 1} is too long to be a record`)
    for (const text of texts) {
      line++
      if (text.trim() !== '') yield entryOf(text, { line, column: 1 })
    }
  }
  if (rest.trim() !== '') yield entryOf(rest, { line: line + 1, column: 1 })
}

async function* jsonElements(chunks: AsyncIterable<string>): AsyncGenerator<Entry> {
  let element = 0
  for await (const { text, ...begin } of readArray(chunks))
    yield { ...entryOf(text, begin), element: ++element }
}

const entryOf = (text: string, begin: Position): Entry => ({
  line: begin.line,
  content: text,
  parse: () => parseJson(text.replace(/^\ufeff/, ''), begin),
})

/** The first record names the columns. */
async function* csvRows(
  chunks: AsyncIterable<string>,
  schema: JsonSchema,
  mapping: Mapping,
): AsyncGenerator<Entry> {
  let columns: readonly Column[] | undefined
  for await (const { line, fields } of readCsv(chunks)) {
    const known = columns
    if (known === undefined) columns = columnsOf(fields, schema, mapping)
    else {
      const content = JSON.stringify([known.map(({ name }) => name), fields])
      yield { line, content, parse: () => recordOf(known, fields) }
    }
  }
  if (columns === undefined) throw new Error(noNames)
}

interface Column {
  readonly name: string | undefined
  read(cell: string): unknown
}

const columnsOf = (headings: CsvFields, schema: JsonSchema, mapping: Mapping): readonly Column[] =>
  columnNames(headings, schema, mapping).map((name, at) => {
    if (name !== undefined && isFlag(schema, name.split('.'))) return { name, read: flagOf }
    const { foreign = {}, dateOrder } = mapping
    const readOwn = cellReader(foreign, { heading: headings[at]?.trim(), name }, dateOrder)
    const read = isReport(headings) ? (cell: string) => readOwn(undefused(cell)) : readOwn
    const mayBeOpen = foreign[name ?? '']?.isDate && !dateOrder
    return { name, read: mayBeOpen ? (cell) => notOpen(read(cell)) : read }
  })

/** The same text. Throws if it is a date whose order nobody has said. */
const notOpen = (text: string) => {
  if (dateOrderOf([text]) === undefined) return text
  throw new Error(`It has the date ${text}: --date says whether the day or the month comes first.`)
}

const recordOf = (columns: readonly Column[], fields: CsvFields) => {
  const fault = widthFault(fields, columns)
  if (fault) throw new Error(widthFaults[fault])
  const record: Fields = {}
  columns.forEach(({ name, read }, index) => {
    const text = fields[index]
    // Spreadsheets write unnamed columns where cells were cleared.
    if (name === undefined || (name === '' && text === undefined)) return
    place(record, name.split('.'), text === undefined ? null : read(text))
  })
  return record
}

const widthFaults = {
  wide: 'It has more cells than the header line has columns.',
  narrow: 'It has fewer cells than the header line has columns.',
}

type Fields = Record<string, unknown>

const place = (record: Fields, [first = '', ...rest]: readonly string[], value: unknown) => {
  if (rest.length === 0) {
    record[first] = value
    return
  }
  record[first] ??= {}
  place(record[first] as Fields, rest, value)
}

const isFlag = (schema: JsonSchema, path: readonly string[]) => {
  const field = path.reduce<JsonSchema | undefined>((above, name) => above?.properties?.[name], schema)
  return [field?.type].flat().includes('boolean')
}

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

import { CsvFault, type CsvFields, detectSeparator, readCsv } from '#core/csv.ts'
import type { Encoding } from '#core/foreign-files.ts'
import { type Detail, Problem } from '#core/problem.ts'
import { parseJson } from '#http/message/body/json.ts'
import { JsonArrayFault, readArray } from '#http/message/body/json-array.ts'
import type { Position } from '#http/message/body/position.ts'
import { FileRefused } from './refused.ts'
import { blocksOf, guessEncoding, textsOf } from './text.ts'
import { workbookRows } from './workbook.ts'

/** A row of a table, or an object of a list. */
export interface FileRow {
  /** The line on which the row begins, or its position in a JSON array. Counted from 1, and increasing. */
  readonly line: number
  /** An empty cell of a table is undefined. */
  readonly cells: Readonly<Record<string, unknown>> | CsvFields
  /** The fault of a row that is not a readable object. Such a row has no cells. */
  readonly fault?: Detail
}

/** The format of a file. `object` is a single JSON object that spans several lines. */
export type Format =
  | { readonly kind: 'xlsx' }
  | { readonly kind: 'json' | 'object' | 'ndjson'; readonly encoding: Encoding }
  | { readonly kind: 'csv'; readonly encoding: Encoding; readonly separator: string }

export interface FileOptions {
  readonly encoding?: Encoding | undefined
  /** The name of the sheet of a workbook, by default the first. */
  readonly sheet?: string | undefined
  /** Called with the names of the sheets of a workbook. */
  readonly onSheets?: (names: readonly string[]) => void
  /** A larger file is refused. By default 64 MiB. */
  readonly maxBytes?: number
}

/** Detects the format of a file from its first bytes. Throws if the format is not supported. */
export const formatOf = (head: Uint8Array, options: FileOptions = {}): Format => {
  const block = Buffer.from(head)
  const signature = block.toString('latin1', 0, 4)
  if (signature === 'PK\u0003\u0004' || signature === 'PK\u0005\u0006') return { kind: 'xlsx' }
  if (signature === '\u00d0\u00cf\u0011\u00e0') throw new FileRefused('protected') // .xls, or encrypted
  const encoding = options.encoding ?? guessEncoding(block)
  const text = new TextDecoder(encoding).decode(block)
  const [first] = text.trimStart()
  if (first === undefined) throw new FileRefused('empty')
  if (first === '[') return { kind: 'json', encoding }
  if (first === '{')
    return { kind: text.trim().split('\n', 1)[0]?.trim() === '{' ? 'object' : 'ndjson', encoding }
  return { kind: 'csv', encoding, separator: detectSeparator(text) }
}

/** The rows of a file, one at a time. Throws `FileRefused` at the first row that cannot be read. */
export async function* rowsOfFile(
  chunks: AsyncIterable<Uint8Array>,
  options: FileOptions = {},
): AsyncGenerator<FileRow> {
  const blocks = blocksOf(chunks, options.maxBytes)
  const { value: head } = await blocks.next()
  if (!head) throw new FileRefused('empty')
  const format = formatOf(head, options)
  const allBlocks = surround(head, blocks)
  let isEmpty = true
  for await (const row of withRefusals(rowsIn(format, allBlocks, options))) {
    isEmpty = false
    yield row
  }
  if (isEmpty) throw new FileRefused('empty')
}

const rowsIn = (
  format: Format,
  blocks: AsyncIterable<Buffer<ArrayBuffer>>,
  { encoding, ...options }: FileOptions,
): AsyncIterable<FileRow> => {
  if (format.kind === 'xlsx') return workbookRows(blocks, options)
  const texts = textsOf(blocks, encoding)
  if (format.kind === 'csv') return csvRows(texts, format.separator)
  if (format.kind === 'ndjson') return ndjsonRows(texts)
  return arrayRows(format.kind === 'json' ? texts : surround('[', texts, ']'))
}

async function* withRefusals(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow> {
  try {
    yield* rows
  } catch (error) {
    if (error instanceof CsvFault) throw new FileRefused(error.fault, { line: error.line })
    if (!(error instanceof JsonArrayFault)) throw error
    throw new FileRefused(error.isTooLong ? 'long' : 'json', { line: error.line })
  }
}

async function* surround<T>(first: T, others: AsyncIterable<T>, last?: T): AsyncGenerator<T> {
  yield first
  yield* others
  if (last !== undefined) yield last
}

async function* csvRows(texts: AsyncIterable<string>, separator: string): AsyncGenerator<FileRow> {
  for await (const { line, fields } of readCsv(texts, separator)) yield { line, cells: fields }
}

async function* arrayRows(texts: AsyncIterable<string>): AsyncGenerator<FileRow> {
  let line = 0
  for await (const { text, ...begin } of readArray(texts)) yield objectRow(++line, text, begin)
}

const maxLineLength = 1024 * 1024

async function* ndjsonRows(chunks: AsyncIterable<string>): AsyncGenerator<FileRow> {
  let rest = ''
  let line = 0
  for await (const chunk of surround('', chunks, '\n')) {
    const texts = (rest + chunk).split('\n')
    rest = texts.pop() ?? ''
    if (rest.length > maxLineLength) throw new FileRefused('long', { line: line + 1 })
    for (const text of texts) {
      line++
      if (text.trim() !== '') yield objectRow(line, text, { line, column: 1 })
    }
  }
}

const objectRow = (line: number, text: string, begin: Position): FileRow => {
  try {
    const value = parseJson(text, begin)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { line, cells: value as Readonly<Record<string, unknown>> }
    return { line, cells: [], fault: { code: 'NotAnObject' } }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { line, cells: [], fault: error.withCodes.details[0] as Detail }
  }
}

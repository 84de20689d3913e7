import type { Words } from '#console/app/words/index.ts'
import { CsvFault, cellOf, columnsOf, parseCsv, widthFault } from '#core/csv.ts'
import { type Encoding, encodingOf } from '#core/foreign.ts'
import type { Batch, Row } from './record.ts'

/** What a file holds, before anybody says what its columns mean. */
export interface Table extends Pick<Batch, 'unit' | 'headings'> {
  readonly encoding: Encoding
  readonly rows: readonly Row[]
}

/** Why a file cannot be read at all, and the place if there is one. */
export interface Unreadable {
  readonly why: keyof Words['import']['unreadableReasons']
  readonly line?: number
}

/** A larger file would strain the memory of a page. */
const maxBytes = 64 * 1024 ** 2

export const bytesOf = async (file: File): Promise<Uint8Array<ArrayBuffer> | Unreadable> =>
  file.size > maxBytes ? { why: 'large' } : new Uint8Array(await file.arrayBuffer())

/** The rows of a file, or why there are none. The first character decides the format. */
export const tableOf = (bytes: Uint8Array<ArrayBuffer>, encoding = encodingOf(bytes)): Table | Unreadable => {
  if (!encoding) return { why: 'binary' }
  const text = new TextDecoder(encoding).decode(bytes)
  try {
    const found = rowsOf(text)
    if ('why' in found) return found
    if (found.rows.length === 0) return { why: 'empty' }
    if (found.rows.every(({ fault }) => fault === 'unparsed')) return { why: 'kind' }
    return { ...found, encoding, unit: isArray(text) ? 'record' : 'line' }
  } catch (error) {
    if (error instanceof CsvFault) return { why: error.fault, line: error.line }
    throw error
  }
}

type Found = Pick<Table, 'headings' | 'rows'>

const rowsOf = (text: string): Found | Unreadable => {
  const [first] = text.trimStart()
  if (first === undefined) return { why: 'empty' }
  if (isArray(text)) {
    const values = parsed(text)
    return Array.isArray(values)
      ? objectRows(values.map((value, index) => [index + 1, value]))
      : { why: 'kind' }
  }
  return first === '{' ? objectRows(lineValues(text)) : csvRows(text)
}

const isArray = (text: string) => text.trimStart().startsWith('[')

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Numbered = readonly [line: number, value: unknown]

/** One value a line, or a single one, which may span several. */
const lineValues = (text: string): readonly Numbered[] => {
  const whole = parsed(text)
  if (whole !== undefined) return [[1, whole]]
  return text
    .split('\n')
    .flatMap((line, index): Numbered[] => (line.trim() === '' ? [] : [[index + 1, parsed(line)]]))
}

/** A column for each field of any of the objects. */
const objectRows = (values: readonly Numbered[]): Found => {
  const headings = [...new Set(values.flatMap(([, value]) => (isObject(value) ? columnsOf(value) : [])))]
  const rows = values.map(([line, value]): Row => {
    if (!isObject(value)) return { line, cells: [], fault: 'unparsed' }
    return { line, cells: headings.map((heading) => cellOf(value, heading)) }
  })
  return { headings, rows }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const csvRows = (text: string): Found | Unreadable => {
  const [heading, ...rows] = parseCsv(text)
  if (!heading || rows.length === 0) return { why: heading && heading.fields.length > 1 ? 'empty' : 'kind' }
  const { fields: headings } = heading
  return {
    headings,
    rows: rows.map(({ line, fields }) => ({ line, cells: fields, fault: widthFault(fields, headings) })),
  }
}

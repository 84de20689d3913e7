import { CsvFault, type CsvRecord, flagOf, parseCsv, widthFault } from '#core/csv.ts'
import {
  type Batch,
  bodyOf,
  type FileRecord,
  hasHash,
  headerOf,
  type Kind,
  kindOf,
  type Unreadable,
  withFinished,
} from './record.ts'

/** A larger file would strain the memory of a page. */
const maxBytes = 64 * 1024 ** 2

/** The records of a file, or why there are none. The first character decides the format. */
export const readFile = async (file: File): Promise<Batch | Unreadable> => {
  if (file.size > maxBytes) return { why: 'large' }
  const bytes = new Uint8Array(await file.arrayBuffer())
  const text = decoded(bytes)
  if (text === undefined) return { why: isText(bytes) ? 'encoding' : 'binary' }
  try {
    return batchOf(text)
  } catch (error) {
    if (error instanceof CsvFault) return { why: error.fault, line: error.line }
    throw error
  }
}

const batchOf = (text: string): Batch | Unreadable => {
  const found = recordsOf(text)
  if ('why' in found) return found
  const { records, kind = kindOf(records) } = found
  if (records.length === 0) return { why: 'empty' }
  if (!records.some(({ body }) => body)) return { why: 'kind' }
  if (!kind) return { why: 'fields' }
  if (records.some(hasHash)) return { why: 'hashes' }
  return {
    kind,
    unit: isArray(text) ? 'record' : 'line',
    records: kind === 'todos' ? records.map(withFinished) : records,
  }
}

/** Removes a byte order mark. Refuses anything but UTF-8, which would otherwise turn silently into other characters. */
const decoded = (bytes: Uint8Array<ArrayBuffer>): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Images and workbooks have a NUL among their first bytes; text has one only in UTF-16, which its mark identifies. */
const isText = (bytes: Uint8Array) => {
  const [first, second] = bytes
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return isUtf16 || !bytes.subarray(0, 1024).includes(0)
}

interface Found {
  readonly records: readonly FileRecord[]
  /** Their kind, if a header line tells. */
  readonly kind?: Kind
}

const recordsOf = (text: string): Found | Unreadable => {
  const [first] = text.trimStart()
  if (isArray(text)) return arrayRecords(text)
  if (first === '{') return { records: oneRecord(text) ?? lineRecords(text) }
  return first === undefined ? { why: 'empty' } : csvRecords(text)
}

const isArray = (text: string) => text.trimStart().startsWith('[')

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const recordOf = (value: unknown, line: number): FileRecord =>
  isFields(value) ? { line, body: bodyOf(value) } : { line, body: undefined, fault: 'unparsed' }

const arrayRecords = (text: string): Found | Unreadable => {
  const values = parsed(text)
  if (!Array.isArray(values)) return { why: 'kind' }
  return { records: values.map((value, index) => recordOf(value, index + 1)) }
}

/** A single JSON object, which may span several lines. */
const oneRecord = (text: string) => {
  const value = parsed(text)
  return value === undefined ? undefined : [recordOf(value, 1)]
}

const lineRecords = (text: string) =>
  text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => recordOf(parsed(line), number))

const csvRecords = (text: string): Found | Unreadable => {
  const [heading, ...rows] = parseCsv(text)
  if (!heading || rows.length === 0) return { why: heading && heading.fields.length > 1 ? 'empty' : 'kind' }
  const header = headerOf(heading.fields)
  if (!header) return { why: 'fields' }
  const { kind, names, faults } = header
  if (faults.length > 0) return { why: 'columns', faults }
  return { kind, records: rows.map((row) => rowRecord(row, names)) }
}

/** Empty cells are not sent, but `""` is: an optional field is then absent, and the service reports a required one as missing. */
const rowRecord = ({ line, fields }: CsvRecord, names: readonly string[]): FileRecord => {
  const fault = widthFault(fields, names)
  if (fault) return { line, body: undefined, fault }
  const filled = names.flatMap((name, index) => {
    const cell = fields[index]
    return cell === undefined ? [] : [[name, name === 'finished' ? flagOf(cell) : cell] as const]
  })
  return recordOf(Object.fromEntries(filled), line)
}

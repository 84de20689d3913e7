import { csvRows } from './csv.ts'
import { type Batch, bodyOf, type FileRecord, kindOf, type Unreadable, withFinished } from './record.ts'

/** More would not fit well into the memory of a page. */
const largestBytes = 64 * 1024 ** 2

/** The records of a file, or why there are none. What it is, its first letter tells. */
export const readFile = async (file: File): Promise<Batch | Unreadable> => {
  if (file.size > largestBytes) return 'large'
  const text = decoded(await file.arrayBuffer())
  if (text === undefined) return 'encoding'
  const records = recordsOf(text)
  if (!records) return 'kind'
  if (records.length === 0) return 'empty'
  const kind = kindOf(records)
  if (!kind) return 'fields'
  return { kind, records: kind === 'todos' ? records.map(withFinished) : records }
}

/** A byte order mark is taken off. What is not UTF-8 would become other letters without a word. */
const decoded = (bytes: ArrayBuffer): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const recordsOf = (text: string): readonly FileRecord[] | undefined => {
  const [first] = text.trimStart()
  if (first === '[') return arrayRecords(text)
  if (first === '{') return lineRecords(text)
  return first === undefined ? [] : csvRecords(text)
}

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

const recordOf = (value: unknown, line: number, text: string): FileRecord =>
  isFields(value) ? { line, body: bodyOf(value), text } : { line, body: undefined, fault: 'unparsed', text }

const arrayRecords = (text: string) => {
  const values = parsed(text)
  if (!Array.isArray(values)) return undefined
  return values.map((value, index) => recordOf(value, index + 1, JSON.stringify(value)))
}

const lineRecords = (text: string) =>
  text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => recordOf(parsed(line), number, line))

/** An empty cell is not said: what is optional stays out, what is required is missed by the service. */
const csvRecords = (text: string) => {
  const [heading, ...rows] = csvRows(text)
  if (!heading || rows.length === 0) return heading && heading.cells.length > 1 ? [] : undefined
  const names = heading.cells.map((name) => name.trim())
  return rows.map(({ line, cells }) => {
    const given = names.map((name, index) => [name, cells[index] ?? ''] as const)
    const fields = Object.fromEntries(given.filter(([, cell]) => cell !== ''))
    return recordOf(cells.length > names.length ? undefined : fields, line, cells.join(', '))
  })
}

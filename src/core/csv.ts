/** One record of a CSV file (RFC 4180). An empty field without quotes is undefined. */
export type CsvFields = readonly (string | undefined)[]

export interface CsvRecord {
  readonly line: number
  readonly fields: CsvFields
}

/** A longer record is refused, to bound the memory. */
const maxRecordLength = 1024 * 1024

/**
 * Reads records from chunks of text. A quoted field may contain separators, quotes and line breaks. Spreadsheets separate
 * fields by tabs, or by semicolons where the comma is the decimal separator, so the first separator in the first line decides.
 * For Excel, the first line may be `sep=;`.
 */
export async function* readCsv(chunks: AsyncIterable<string>, separator?: string): AsyncGenerator<CsvRecord> {
  const reader = new CsvReader(separator)
  for await (const chunk of chunks) yield* reader.read(chunk)
  yield* reader.end()
}

/** The separator that splits the most rows of `head` into equally many fields. */
export const separatorOf = (head: string): string => {
  const [, named] = /^\ufeff?sep=(.)/i.exec(head) ?? []
  if (named !== undefined) return named
  const fits = [',', ';', '\t', '|'].map((separator) => ({ separator, rows: rowsAlike(head, separator) }))
  return fits.reduce((best, one) => (one.rows > best.rows ? one : best)).separator
}

/** The size of the largest group of rows with equally many fields. */
const rowsAlike = (head: string, separator: string): number => {
  const counts = new Map<number, number>()
  try {
    for (const { fields } of new CsvReader(separator).read(`${head}\n`))
      if (fields.length > 1) counts.set(fields.length, (counts.get(fields.length) ?? 0) + 1)
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
  }
  return Math.max(0, ...counts.values())
}

export const writeCsv = (fields: CsvFields): string => `${fields.map(quoteIfNeeded).join(',')}\r\n`

/** Quotes an empty text, because without quotes it would mean null. */
const quoteIfNeeded = (field: string | undefined) => {
  if (field === undefined) return ''
  return field === '' || /[",\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}

export const columnsOf = (record: object): readonly string[] => Object.keys(flattened(record))

/** A record by column. A nested field has a dotted name, such as `credential.signId`; a list is one column. */
export const flattened = (record: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flattened(value)).map(([inner, one]) => [`${name}.${inner}`, one])
        : [[name, value]],
    ),
  )

/** A record's value in a column; undefined if it is missing or null. */
export const cellOf = (record: object, column: string): string | undefined => {
  const value = valueAt(record, column)
  return value === null || value === undefined ? undefined : String(value)
}

/** The value at a dotted path of a record. */
export const valueAt = (record: object, path: string): unknown =>
  path.split('.').reduce<unknown>((above, name) => (above as Record<string, unknown> | null)?.[name], record)

/** Puts an apostrophe before text that a spreadsheet would take for a formula, or that already looks escaped like this. */
export const defused = (text: string): string =>
  /^'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/.test(text) ? `'${text}` : text

export const undefused = (text: string): string =>
  text.startsWith("'") && defused(text.slice(1)) === text ? text.slice(1) : text

/** The line where a faulty record begins. A quote is never closed (`open`) or ends before its field (`early`). */
export class CsvFault extends Error {
  readonly fault: 'open' | 'early' | 'long'
  readonly line: number

  constructor(fault: CsvFault['fault'], line: number) {
    super(`${fault} in line ${line}`)
    this.fault = fault
    this.line = line
  }
}

const separators = /[,;\t]/

class CsvReader {
  #separator: string | undefined
  #line = 1
  #startLine = 1
  #fields: (string | undefined)[] = []
  #field = ''
  #isQuoted = false
  /** `after quote`: the last quote either ends the field or is the first of two. */
  #state: 'plain' | 'quoted' | 'after quote' = 'plain'
  #sawReturn = false
  #length = 0
  #found: CsvRecord[] = []

  constructor(separator?: string) {
    this.#separator = separator
  }

  read(chunk: string): readonly CsvRecord[] {
    this.#found = []
    for (const character of chunk) {
      if (++this.#length > maxRecordLength) throw new CsvFault('long', this.#startLine)
      if (this.#state === 'quoted') this.#quoted(character)
      else this.#unquoted(character)
    }
    return this.#found
  }

  end(): readonly CsvRecord[] {
    this.#found = []
    if (this.#state === 'quoted') throw new CsvFault('open', this.#startLine)
    this.#record()
    return this.#found
  }

  #quoted(character: string) {
    if (character === '"') this.#state = 'after quote'
    else {
      if (character === '\n') this.#line++
      this.#field += character
    }
  }

  #unquoted(character: string) {
    const sawReturn = this.#sawReturn
    this.#sawReturn = character === '\r'
    if (character === '"' && this.#state === 'after quote') {
      this.#field += '"'
      this.#state = 'quoted'
    } else if (character === '"' && this.#field === '' && !this.#isQuoted) {
      this.#isQuoted = true
      this.#state = 'quoted'
    } else if (this.#separates(character)) this.#close()
    else if (character === '\n' || character === '\r') {
      if (character === '\n' && sawReturn) return this.#begin()
      this.#line++
      this.#record()
      this.#begin()
    } else if (this.#state === 'after quote') throw new CsvFault('early', this.#startLine)
    else this.#field += character
  }

  #separates(character: string) {
    if (this.#separator === undefined && separators.test(character)) this.#separator = character
    return character === this.#separator
  }

  #close() {
    this.#fields.push(this.#field === '' && !this.#isQuoted ? undefined : this.#field)
    this.#field = ''
    this.#isQuoted = false
    this.#state = 'plain'
  }

  /** Skips empty lines and lines of separators, which spreadsheets write for cleared rows. */
  #record() {
    this.#close()
    if (this.#fields.every((field) => field === undefined)) return
    if (this.#isSeparatorLine()) return
    this.#separator ??= ','
    this.#found.push({ line: this.#startLine, fields: this.#fields })
  }

  #isSeparatorLine() {
    const [first = '', ...rest] = this.#fields
    const isAlone = rest.length > 0 && rest.every((field) => field === undefined)
    return this.#startLine === 1 && isAlone && /^\ufeff?sep=$/i.test(first)
  }

  #begin() {
    this.#fields = []
    this.#startLine = this.#line
    this.#length = 0
  }
}

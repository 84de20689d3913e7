/** The fields of one record of a CSV file (RFC 4180). An empty field without quotes is undefined. */
export type CsvFields = readonly (string | undefined)[]

export interface CsvRecord {
  readonly line: number
  readonly fields: CsvFields
}

/** Longer records are refused, so that memory stays bounded. */
const maxRecordLength = 1024 * 1024

/**
 * Reads records from chunks of text. A quoted field may contain separators, quotes and line breaks. Without `separator`, the first
 * unquoted comma, semicolon or tab on the first line is the separator of the file. For Excel, the first line may be `sep=;`.
 */
export async function* readCsv(chunks: AsyncIterable<string>, separator?: string): AsyncGenerator<CsvRecord> {
  const reader = new CsvReader(separator)
  for await (const chunk of chunks) yield* reader.read(chunk)
  yield* reader.end()
}

/** Returns the separator that splits the most rows of `head`, the beginning of a file, into the same number of fields. */
export const detectSeparator = (head: string): string => {
  const [, declared] = /^\ufeff?sep=(.)/i.exec(head) ?? []
  if (declared !== undefined) return declared
  const candidates = [',', ';', '\t', '|'].map((separator) => ({
    separator,
    rows: countRowsOfOneLength(head, separator),
  }))
  return candidates.reduce((best, one) => (one.rows > best.rows ? one : best)).separator
}

/** The size of the largest group of rows that have the same number of fields, at least two. */
const countRowsOfOneLength = (head: string, separator: string): number => {
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

/** An empty text is quoted, because an empty field without quotes means null. */
const quoteIfNeeded = (field: string | undefined) => {
  if (field === undefined) return ''
  return field === '' || /[",\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}

export const columnsOf = (record: object): readonly string[] => Object.keys(flatten(record))

/** Returns the values of a record by column. A nested field has a dotted name, such as `credential.signId`; a list is one column. */
export const flatten = (record: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flatten(value)).map(([inner, one]) => [`${name}.${inner}`, one])
        : [[name, value]],
    ),
  )

/** The text of a record in a column. Undefined if the value is missing or null. */
export const cellText = (record: object, column: string): string | undefined => {
  const value = valueAt(record, column)
  return value === null || value === undefined ? undefined : String(value)
}

/** The value at a dotted path of a record. */
export const valueAt = (record: object, path: string): unknown =>
  path.split('.').reduce<unknown>((above, name) => (above as Record<string, unknown> | null)?.[name], record)

/** Puts an apostrophe before a text that a spreadsheet would read as a formula, or that already looks escaped. */
export const escapeFormula = (text: string): string =>
  /^'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/.test(text) ? `'${text}` : text

/** Escapes only a text that looks escaped, so that the import's `unescapeFormula` returns every text unchanged. */
export const escapeApostrophe = (text: string): string => (text.startsWith("'") ? escapeFormula(text) : text)

export const unescapeFormula = (text: string): string =>
  text.startsWith("'") && escapeFormula(text.slice(1)) === text ? text.slice(1) : text

export class CsvFault extends Error {
  /** `open`: a quote is never closed. `early`: text follows a closing quote. `long`: the record is too long. */
  readonly fault: 'open' | 'early' | 'long'
  /** The first line of the malformed record. */
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
  #hasQuotes = false
  /** `after quote`: the last quote either ends the field or is the first of two. */
  #quoting: 'plain' | 'quoted' | 'after quote' = 'plain'
  #isAfterReturn = false
  #length = 0
  #records: CsvRecord[] = []

  constructor(separator?: string) {
    this.#separator = separator
  }

  read(chunk: string): readonly CsvRecord[] {
    this.#records = []
    for (const character of chunk) {
      if (++this.#length > maxRecordLength) throw new CsvFault('long', this.#startLine)
      if (this.#quoting === 'quoted') this.#readQuoted(character)
      else this.#readUnquoted(character)
    }
    return this.#records
  }

  end(): readonly CsvRecord[] {
    this.#records = []
    if (this.#quoting === 'quoted') throw new CsvFault('open', this.#startLine)
    this.#endRecord()
    return this.#records
  }

  #readQuoted(character: string) {
    if (character === '"') this.#quoting = 'after quote'
    else {
      if (character === '\n') this.#line++
      this.#field += character
    }
  }

  #readUnquoted(character: string) {
    const sawReturn = this.#isAfterReturn
    this.#isAfterReturn = character === '\r'
    if (character === '"' && this.#quoting === 'after quote') {
      this.#field += '"'
      this.#quoting = 'quoted'
    } else if (character === '"' && this.#field === '' && !this.#hasQuotes) {
      this.#hasQuotes = true
      this.#quoting = 'quoted'
    } else if (this.#isSeparator(character)) this.#endField()
    else if (character === '\n' || character === '\r') {
      if (character === '\n' && sawReturn) return this.#startRecord()
      this.#line++
      this.#endRecord()
      this.#startRecord()
    } else if (this.#quoting === 'after quote') throw new CsvFault('early', this.#startLine)
    else this.#field += character
  }

  #isSeparator(character: string) {
    if (this.#separator === undefined && separators.test(character)) this.#separator = character
    return character === this.#separator
  }

  #endField() {
    this.#fields.push(this.#field === '' && !this.#hasQuotes ? undefined : this.#field)
    this.#field = ''
    this.#hasQuotes = false
    this.#quoting = 'plain'
  }

  /** Skips empty lines, lines with only separators, which spreadsheets write for cleared rows, and a first line `sep=;`. */
  #endRecord() {
    this.#endField()
    if (this.#fields.every((field) => field === undefined)) return
    if (this.#isSepDeclaration()) return
    this.#separator ??= ','
    this.#records.push({ line: this.#startLine, fields: this.#fields })
  }

  #isSepDeclaration() {
    const [first = '', ...rest] = this.#fields
    const isAlone = rest.length > 0 && rest.every((field) => field === undefined)
    return this.#startLine === 1 && isAlone && /^\ufeff?sep=$/i.test(first)
  }

  #startRecord() {
    this.#fields = []
    this.#startLine = this.#line
    this.#length = 0
  }
}

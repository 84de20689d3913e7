import { isDate } from './formats.ts'

/** The column of a field, and its values, in files of other programs. */
export interface ForeignColumn {
  /** Names that the column may have, separated by commas. */
  readonly names: string
  /** Names of columns whose text is appended to that of this column, separated by commas. */
  readonly appendedColumns?: string
  /** The words that may stand for each code, separated by commas. */
  readonly codes?: Readonly<Record<string, string>>
}

/** The columns of other programs' files, by the name of our field. */
export type ForeignColumns = Readonly<Record<string, ForeignColumn>>

/** Reduces a name to its letters and digits, in lower case and normal width, so that `E-Mail` equals `email`. */
export const lettersAndDigitsOf = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The code for which this text is a word. */
export const codeForWord = (text: string, codes: Readonly<Record<string, string>>) => {
  if (Object.hasOwn(codes, text)) return text
  const letters = lettersAndDigitsOf(text)
  return Object.keys(codes).find((code) =>
    `${code},${codes[code]}`.split(',').map(lettersAndDigitsOf).includes(letters),
  )
}

/** Trims a text, and replaces full-width characters if the result is ASCII. Kana and kanji stay unchanged. */
export const narrow = (text: string) => {
  const normalized = text.normalize('NFKC')
  return (/^[\x20-\x7e]*$/.test(normalized) ? normalized : text).trim()
}

/** The order of day and month in dates such as 03/02/1985. */
export type DateOrder = 'dmy' | 'mdy'

/**
 * Reads a date as `yyyy-MM-dd`. Returns the text unchanged if it is no date, or if the order of day and month is unknown. A year of
 * two digits is read only with `lastYear`: it becomes the latest year with these digits up to `lastYear`.
 */
export const readDate = (text: string, order?: DateOrder | 'ymd', lastYear?: number): string => {
  const plain = plainDate(text)
  const parts = readYearFirst(plain) ?? readYearOfEra(plain) ?? readYearLast(plain, order) ?? []
  const [year, month, day] =
    parts[0]?.length === 2 ? [fullYear(parts[0], lastYear), ...parts.slice(1)] : parts
  const found = [year?.padStart(4, '0'), month?.padStart(2, '0'), day?.padStart(2, '0')].join('-')
  return isDate(found) ? found : text
}

/**
 * The order of day and month in these dates. Undefined if no date needs an order. `open` if the dates fit both orders or neither, or
 * if a year has only two digits.
 */
export const dateOrderOf = (texts: Iterable<string>): DateOrder | 'open' | undefined => {
  const fitting = new Set<DateOrder>(['dmy', 'mdy'])
  let isNeeded = false
  for (const text of texts) {
    const [, first, separator, second, year] = numericDate.exec(plainDate(text)) ?? []
    if (separator === undefined || (separator === '.' && year?.length === 4)) continue
    if (year?.length === 2) return 'open'
    isNeeded = true
    if (Number(first) > 12) fitting.delete('mdy')
    if (Number(second) > 12) fitting.delete('dmy')
  }
  const [order, ...others] = fitting
  if (!isNeeded) return undefined
  return others.length === 0 && order ? order : 'open'
}

/** Some programs export a date with midnight as its time. */
const midnight = /[T ]0?0:00(?::00(?:\.0+)?)?(?:Z|\+00:?00)?$/

const plainDate = (text: string) =>
  replaceMonthName(insertSlashes(text.normalize('NFKC').trim().replace(midnight, '')))

/** Turns `25111954` into `25/11/1954`, and `1041990`, whose first zero a spreadsheet has dropped, into `01/04/1990`. */
const insertSlashes = (text: string) => {
  const [, first, second, year] = /^(\d\d)(\d\d)((?:18|19|20)\d\d)$/.exec(text.padStart(8, '0')) ?? []
  return year === undefined || text.length < 7 || isDate(insertDashes(text))
    ? text
    : `${first}/${second}/${year}`
}

const insertDashes = (text: string) => text.replace(/^((?:18|19|20)\d\d)(\d\d)(\d\d)$/, '$1-$2-$3')

/** The first three letters of each month in English and, where they differ, in German. */
const months = 'jan feb mar|mär|mrz apr may|mai jun jul aug sep oct|okt nov dec|dez'.split(' ')

/** Turns `18 August 1987` and `Aug 18, 1987` into `18.8.1987`. */
const replaceMonthName = (text: string) => {
  const [, day, name, month = name, other = day, year] =
    /^(?:(\d{1,2})[. -]{0,2}(\p{L}{3,})|(\p{L}{3,})\.? (\d{1,2}),?)[. -]{1,2}(\d{4}|\d\d)$/u.exec(text) ?? []
  const at = months.findIndex((one) => one.split('|').includes((month ?? '').slice(0, 3).toLowerCase()))
  return at < 0 ? text : `${other}.${at + 1}.${year}`
}

type DateParts = readonly (string | undefined)[]

const readYearFirst = (text: string): DateParts | undefined =>
  (
    /^(\d{4}) ?[-/.年] ?(\d{1,2}) ?[-/.月] ?(\d{1,2}) ?日?$/.exec(text) ?? /^(\d{4})(\d\d)(\d\d)$/.exec(text)
  )?.slice(1)

/** The last year before each era, by the era's name and by its letter. */
const eras: Readonly<Record<string, number>> = {
  明治: 1867,
  M: 1867,
  大正: 1911,
  T: 1911,
  昭和: 1925,
  S: 1925,
  平成: 1988,
  H: 1988,
  令和: 2018,
  R: 2018,
}

const readYearOfEra = (text: string): DateParts | undefined => {
  const [, era = '', year, ...rest] =
    /^(\p{Script=Han}{2}|[MTSHR]) ?(\d{1,2}|元) ?[-/.年] ?(\d{1,2}) ?[-/.月] ?(\d{1,2}) ?日?$/iu.exec(text) ??
    []
  const before = eras[era.toUpperCase()]
  return before === undefined ? undefined : [String(before + (year === '元' ? 1 : Number(year))), ...rest]
}

/** A date in digits whose year is last. A year of two digits may also be first. */
const numericDate = /^(\d{1,2})([-/.]) ?(\d{1,2})\2 ?(\d{4}|\d\d)$/

/** In a date with dots and a year of four digits, the day is always first. */
const readYearLast = (text: string, order?: DateOrder | 'ymd'): DateParts | undefined => {
  const [, first, separator, second, last] = numericDate.exec(text) ?? []
  const usedOrder = separator === '.' && last?.length === 4 ? 'dmy' : order
  if (usedOrder === 'ymd') return last?.length === 2 ? [first?.padStart(2, '0'), second, last] : undefined
  if (!usedOrder) return undefined
  return usedOrder === 'dmy' ? [last, second, first] : [last, first, second]
}

const fullYear = (digits: string, lastYear: number | undefined) =>
  lastYear === undefined ? undefined : String(lastYear - ((lastYear - Number(digits)) % 100))

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'shift_jis', 'windows-1252'] as const

export type Encoding = (typeof encodings)[number]

/** UTF-16 if the bytes begin with its byte order mark, otherwise undefined. */
export const byteOrderMarkEncoding = ([first, second]: Uint8Array): Encoding | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/**
 * Detects the encoding of a text: UTF-16 by its byte order mark, otherwise the first encoding that can decode the bytes. Undefined
 * if the bytes are no text: images and workbooks have a NUL among their first bytes.
 */
export const encodingOf = (bytes: Uint8Array<ArrayBuffer>): Encoding | undefined => {
  const found = byteOrderMarkEncoding(bytes)
  if (found || bytes.subarray(0, 1024).includes(0)) return found
  if (canDecode(bytes, 'utf-8')) return 'utf-8'
  return canDecode(bytes, 'shift_jis') && isJapanese(bytes) ? 'shift_jis' : 'windows-1252'
}

/** In European text decoded as Shift_JIS, each ä or ö becomes a single non-ASCII character next to Latin letters. */
const isJapanese = (bytes: Uint8Array<ArrayBuffer>) => {
  const text = new TextDecoder('shift_jis').decode(bytes)
  const touching = text.match(/(?<=[a-z])[^\p{ASCII}]|[^\p{ASCII}](?=[a-z])/giu) ?? []
  return touching.length * 2 < (text.match(/[^\p{ASCII}]/gu) ?? []).length
}

const canDecode = (bytes: Uint8Array<ArrayBuffer>, encoding: Encoding) => {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

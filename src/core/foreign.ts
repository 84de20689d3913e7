import { isDate } from './formats.ts'

/** How files of other programs name a column and write its values. */
export interface ForeignColumn {
  /** Names of the column, separated by commas. */
  readonly words: string
  /** Names of columns whose text is appended to that of this column, separated by commas. */
  readonly parts?: string
  /** Words for each code. */
  readonly codes?: Readonly<Record<string, string>>
}

/** By column. */
export type Foreign = Readonly<Record<string, ForeignColumn>>

/** Reduces a name to its letters and digits, without case, width and the characters between words. */
export const lettersOf = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The code that this text is a word for. */
export const codeOf = (text: string, codes: Readonly<Record<string, string>>) => {
  if (Object.hasOwn(codes, text)) return text
  const letters = lettersOf(text)
  return Object.keys(codes).find((code) =>
    `${code},${codes[code]}`.split(',').map(lettersOf).includes(letters),
  )
}

/** Trims a text, and narrows full-width text if the result is ASCII. Kana and kanji stay unchanged. */
export const narrowed = (text: string) => {
  const narrow = text.normalize('NFKC')
  return (/^[\x20-\x7e]*$/.test(narrow) ? narrow : text).trim()
}

/** Whether a date such as 03/02/1985 begins with the day or the month. */
export type DateOrder = 'dmy' | 'mdy'

/**
 * Reads a date as `yyyy-MM-dd`. Returns the text unchanged if it is no date, or if the order of its parts is unknown. A year of two
 * digits is read only with `lastYear`: as the latest year with these digits that is not after it.
 */
export const readDate = (text: string, order?: DateOrder | 'ymd', lastYear?: number): string => {
  const plain = plainDate(text)
  const parts = yearFirst(plain) ?? yearOfEra(plain) ?? yearLast(plain, order) ?? []
  const [year, month, day] =
    parts[0]?.length === 2 ? [completed(parts[0], lastYear), ...parts.slice(1)] : parts
  const found = [year?.padStart(4, '0'), month?.padStart(2, '0'), day?.padStart(2, '0')].join('-')
  return isDate(found) ? found : text
}

/**
 * The order of day and month in these dates. Undefined if none of them needs an order; `open` if they fit both orders or neither, or
 * lack the century.
 */
export const dateOrderOf = (texts: Iterable<string>): DateOrder | 'open' | undefined => {
  const fitting = new Set<DateOrder>(['dmy', 'mdy'])
  let isNeeded = false
  for (const text of texts) {
    const [, first, separator, second, year] = ordered.exec(plainDate(text)) ?? []
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

const plainDate = (text: string) => dotted(slashed(text.normalize('NFKC').trim().replace(midnight, '')))

/** `25111954` as `25/11/1954`, and also `1041990`, whose first zero a spreadsheet has dropped. */
const slashed = (text: string) => {
  const [, first, second, year] = /^(\d\d)(\d\d)((?:18|19|20)\d\d)$/.exec(text.padStart(8, '0')) ?? []
  return year === undefined || text.length < 7 || isDate(dashed(text)) ? text : `${first}/${second}/${year}`
}

const dashed = (text: string) => text.replace(/^((?:18|19|20)\d\d)(\d\d)(\d\d)$/, '$1-$2-$3')

/** By the first three letters, in English and German. */
const months = 'jan feb mar|mär|mrz apr may|mai jun jul aug sep oct|okt nov dec|dez'.split(' ')

/** `18 August 1987` and `Aug 18, 1987` as `18.8.1987`. */
const dotted = (text: string) => {
  const [, day, name, month = name, other = day, year] =
    /^(?:(\d{1,2})[. -]{0,2}(\p{L}{3,})|(\p{L}{3,})\.? (\d{1,2}),?)[. -]{1,2}(\d{4}|\d\d)$/u.exec(text) ?? []
  const at = months.findIndex((one) => one.split('|').includes((month ?? '').slice(0, 3).toLowerCase()))
  return at < 0 ? text : `${other}.${at + 1}.${year}`
}

type Parts = readonly (string | undefined)[]

const yearFirst = (text: string): Parts | undefined =>
  (
    /^(\d{4}) ?[-/.年] ?(\d{1,2}) ?[-/.月] ?(\d{1,2}) ?日?$/.exec(text) ?? /^(\d{4})(\d\d)(\d\d)$/.exec(text)
  )?.slice(1)

/** The year before the first of each era, by its name and its letter. */
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

const yearOfEra = (text: string): Parts | undefined => {
  const [, era = '', year, ...rest] =
    /^(\p{Script=Han}{2}|[MTSHR]) ?(\d{1,2}|元) ?[-/.年] ?(\d{1,2}) ?[-/.月] ?(\d{1,2}) ?日?$/iu.exec(text) ??
    []
  const before = eras[era.toUpperCase()]
  return before === undefined ? undefined : [String(before + (year === '元' ? 1 : Number(year))), ...rest]
}

/** A date in one of several orders. */
const ordered = /^(\d{1,2})([-/.]) ?(\d{1,2})\2 ?(\d{4}|\d\d)$/

/** With dots and a whole year, the day is always first. */
const yearLast = (text: string, order?: DateOrder | 'ymd'): Parts | undefined => {
  const [, first, separator, second, last] = ordered.exec(text) ?? []
  const used = separator === '.' && last?.length === 4 ? 'dmy' : order
  if (used === 'ymd') return last?.length === 2 ? [first?.padStart(2, '0'), second, last] : undefined
  if (!used) return undefined
  return used === 'dmy' ? [last, second, first] : [last, first, second]
}

const completed = (digits: string, lastYear: number | undefined) =>
  lastYear === undefined ? undefined : String(lastYear - ((lastYear - Number(digits)) % 100))

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'shift_jis', 'windows-1252'] as const

export type Encoding = (typeof encodings)[number]

/** UTF-16 if the text begins with a byte order mark. */
export const markedEncoding = ([first, second]: Uint8Array): Encoding | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/**
 * Detects the encoding of a text: UTF-16 by its byte order mark, otherwise the first encoding that can decode it. Undefined if
 * it is no text: images and workbooks have a NUL among their first bytes.
 */
export const encodingOf = (bytes: Uint8Array<ArrayBuffer>): Encoding | undefined => {
  const found = markedEncoding(bytes)
  if (found || bytes.subarray(0, 1024).includes(0)) return found
  if (isIn(bytes, 'utf-8')) return 'utf-8'
  return isIn(bytes, 'shift_jis') && isJapanese(bytes) ? 'shift_jis' : 'windows-1252'
}

/** Read as Shift_JIS, each ä and ö of a European word is a single character that touches Latin letters. */
const isJapanese = (bytes: Uint8Array<ArrayBuffer>) => {
  const text = new TextDecoder('shift_jis').decode(bytes)
  const touching = text.match(/(?<=[a-z])[^\p{ASCII}]|[^\p{ASCII}](?=[a-z])/giu) ?? []
  return touching.length * 2 < (text.match(/[^\p{ASCII}]/gu) ?? []).length
}

const isIn = (bytes: Uint8Array<ArrayBuffer>, encoding: Encoding) => {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

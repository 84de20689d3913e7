import {
  codeForWord,
  type DateOrder,
  dateOrderOf,
  type ForeignColumn,
  narrow,
  readDate,
} from '#core/foreign-files.ts'
import { formatUtc, isDate, isEmail, parseInstant, toWhole } from '#core/formats.ts'
import type { Schema } from '#core/schema.ts'

export interface ValueOptions {
  /** The order of day, month and year: the chosen one, or the one that other dates of the column show. */
  readonly dates?: DateOrder | 'ymd' | null | undefined
  /** A year of two digits becomes the latest such year that is not after this date. */
  readonly today: string
  /** The zone of times that name none; by default UTC. Sheets hold local times. */
  readonly timeZone?: string
  /** The words that other programs use for the codes of the field. */
  readonly foreign?: ForeignColumn | undefined
  /** True if the heading is the name of the field, as in Rollcall's exports. Then texts are taken unchanged. */
  readonly isExact?: boolean
}

/** The value of a text, or the code of the reason why the text is unclear. */
export type Interpretation = { readonly value: unknown } | { readonly unclear: 'OpenDate' | 'LostDigits' }

/** Interprets a text as a value of the field. Any other text is returned unchanged, so that the schema refuses it. */
export const interpretText = (schema: Schema, text: string, options: ValueOptions): Interpretation => {
  const { format, minLength, maxLength, type, past, plain, 'x-extensible-enum': codes } = schema
  const { dates, today, timeZone, foreign, isExact = false } = options
  if (format === 'password') return { value: text || null }
  const isFreeText = plain === true && (format === undefined || isEmail(text))
  if (isExact && isFreeText && text !== '') return { value: text }
  if (text.trim() === '') return { value: isExact && text === '' && minLength === 0 ? '' : null }
  if (format === 'date')
    return interpretDate(text, { dates, latestYear: Number(today.slice(0, 4)) + (past ? 0 : 50) })
  if (format === 'date-time') return { value: interpretInstant(text.trim(), timeZone) }
  if (codes) {
    const words = { ...Object.fromEntries(codes.map((code) => [code, code])), ...foreign?.codes }
    return { value: codeForWord(text.trim(), words) ?? text.trim() }
  }
  if (type?.includes('boolean')) return { value: interpretFlag(text) }
  if (type?.includes('integer')) return { value: interpretWhole(text) }
  if (format !== undefined) return { value: narrow(text).replace(/^mailto:/i, '') }
  return lostDigits.test(text)
    ? { unclear: 'LostDigits' }
    : { value: withoutBlanksIfTooLong(narrow(text), maxLength) }
}

/** A telephone number that a spreadsheet took for a number and shortened in a narrow column: `9.01E+10`. */
const lostDigits = /^\s*\d[.,]\d+E\+\d+\s*$/i

/** Removes the blanks from a telephone number that is too long for the field. */
const withoutBlanksIfTooLong = (text: string, maxLength = text.length) =>
  text.length > maxLength && /^[+\d][-+\d\s()/.]*$/.test(text) ? text.replace(/\s/g, '') : text

/** True if at least half of these texts can be values of the field. */
export const doSamplesFit = (schema: Schema, texts: readonly string[], foreign?: ForeignColumn): boolean => {
  const { format, type, 'x-extensible-enum': codes } = schema
  const isFit = (text: string) => {
    const meaning = interpretText(schema, text, { today: '2000-01-01', foreign })
    if ('unclear' in meaning || meaning.value === null) return true
    const { value } = meaning
    if (format === 'password') return !maskedPassword.test(text)
    if (format === 'date') return isDate(String(value))
    if (format?.endsWith('email')) return String(value).includes('@')
    return codes ? codes.includes(String(value)) : type?.includes('string') || typeof value !== 'string'
  }
  return texts.filter(isFit).length * 2 >= texts.length
}

/** The asterisks or bullets that directories export instead of passwords. */
const maskedPassword = /^[*•●]+$/

const interpretDate = (
  text: string,
  { dates, latestYear }: { dates: ValueOptions['dates']; latestYear: number },
): Interpretation => {
  const value = readDate(text, dates ?? undefined, dates ? latestYear : undefined)
  return !isDate(value) && !dates && dateOrderOf([text]) !== undefined ? { unclear: 'OpenDate' } : { value }
}

/** A time without an offset is a local time in the zone. */
const interpretInstant = (text: string, timeZone = 'UTC') => {
  const [, day, time, fraction = '', offset] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? []
  if (time === undefined) return readDate(text)
  const local = `${day}T${time.padEnd(8, ':00')}.${fraction.padEnd(3, '0').slice(0, 3)}`
  if (offset !== undefined || parseInstant(`${local}Z`, 'UTC') === undefined) return local + (offset ?? 'Z')
  return formatUtc(Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).epochMilliseconds)
}

const wordSet = (text: string): ReadonlySet<string> => new Set(text.normalize('NFKC').split(' '))

const yes = wordSet('true yes y ja j wahr oui sí si verdadero vrai 1 x on ✓ ✔ はい 有 有り あり ○ ◯ 〇 済')
const no = wordSet('false no n nein falsch non falso faux 0 - off いいえ 無 無し なし × ✗ ✕ 未')

const interpretFlag = (text: string) => {
  const word = text.normalize('NFKC').trim().toLowerCase()
  return yes.has(word) ? true : no.has(word) ? false : text
}

/** Reads a whole number, also with separators of thousands, as in `1 200`, `1.200` and `1,200`. */
const interpretWhole = (text: string) => {
  const plain = text
    .normalize('NFKC')
    .trim()
    .replace(/[.,]0{1,2}$/, '')
  const digits = /^[+-]?\d{1,3}(?:([ .,'’])\d{3})(?:\1\d{3})*$/.test(plain)
    ? plain.replace(/[ .,'’]/g, '')
    : plain
  return toWhole(digits) ?? text
}

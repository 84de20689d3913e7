import type { Instant } from './clock.ts'

const dateShape = /^(\d{4})-(\d{2})-(\d{2})$/

/** True if a text is a calendar date from 0001-01-01 to 9999-12-31. */
export const isDate = (text: string): boolean => {
  const [, year, month, day] = dateShape.exec(text)?.map(Number) ?? []
  if (!year || !month || !day) return false
  return month <= 12 && day <= daysIn(year, month)
}

/** A month and a day, such as `02-29`. */
export const dayShape =
  /^(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|[12]\d))$/

/** `2026-11-21T06:45:00.123Z` */
export const formatUtc = (instant: Instant): string => `${formatTime(instant)}Z`

/** `2026-11-21T06:45:00.123+00:00` */
export const formatWithOffset = (instant: Instant, timeZone: string): string => {
  const { offsetMs, suffix } = periodAt(instant, timeZone)
  return formatTime(instant + offsetMs) + suffix
}

/** The current date in the zone, as `yyyy-MM-dd`. */
export const currentDate = (now: Instant, timeZone: string): string =>
  formatWithOffset(now, timeZone).slice(0, 10)

/** A date, or a timestamp in UTC or with an offset. */
export const instantShape =
  /^(\d{4}-\d{2}-\d{2})(?:(T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3})(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d)))?$/

/** Parses a text of `instantShape`. A date becomes the start of that day in the zone. Undefined if the text is malformed. */
export const parseInstant = (text: string, timeZone: string): Instant | undefined => {
  const [, date, time, sign, hours = 0, minutes = 0] = instantShape.exec(text) ?? []
  if (date === undefined || !isDate(date)) return undefined
  if (time === undefined) return startOfDay(date, timeZone)
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return Date.parse(`${date}${time}Z`) - (sign === '-' ? -offsetMs : offsetMs)
}

const minShowable = Date.parse('0001-01-02T00:00:00Z')
const maxShowable = Date.parse('9999-12-31T00:00:00Z')

/** True if the year of an instant has four digits in every zone. */
export const isShowable = (instant: Instant): boolean => instant >= minShowable && instant < maxShowable

/** `UTC`, a name such as `Asia/Tokyo`, or an offset such as `+09:00`. */
export const isValidTimeZone = (text: string): boolean => {
  try {
    // Intl would accept zones in which times cannot be shown, and it is slow to load.
    new Temporal.ZonedDateTime(0n, text)
    return true
  } catch {
    return false
  }
}

const localPart =
  /^(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+(?:\.(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+)*$/u
const domainLabel = /^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u

/** True if an HTML form field would accept the e-mail address; letters may be of any script. */
export const isEmail = (text: string): boolean => {
  const [local, domain, ...more] = text.split('@', 3)
  if (local === undefined || domain === undefined || more.length > 0) return false
  return localPart.test(local) && domain.split('.').every((label) => domainLabel.test(label))
}

/** The whole number of these digits, or undefined if a number cannot hold them. */
export const toWhole = (digits: string): number | undefined =>
  /^[+-]?\d{1,16}$/.test(digits) && Number.isSafeInteger(Number(digits)) ? Number(digits) : undefined

/** The length of a text in code points: a surrogate pair counts as one. */
export const countCodePoints = (text: string): number => {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) count--
  }
  return count
}

const xmlText = /^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u

/** True if XML 1.0 can represent every character. */
export const isXmlText = (text: string): boolean => xmlText.test(text)

/** `xmlText` for published schemas, without code points, which not every regex engine supports. Lone surrogates are refused earlier. */
export const xmlTextPattern = '^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\uFFFE\\uFFFF]*$'

/** Has no invisible characters, and no white space at the start. */
const visibleText = /^(?!\s)[^\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}]*$/u
const latinLetter = /[\p{Script=Latin}[\p{Script=Common}&&\p{L}]]/v
const likeLatinLetter = /[\p{Script=Cyrillic}\p{Script=Greek}]/u

/** True if people can tell the text from others by sight: every character is visible, and no word mixes Latin with similar letters. */
export const isDistinct = (text: string): boolean =>
  visibleText.test(text) &&
  text.trimEnd() === text &&
  !text.split(/[^\p{L}\p{M}\p{N}]/u).some((word) => latinLetter.test(word) && likeLatinLetter.test(word))

/** Cuts a name that a caller sent to 64 characters, so that logs and messages can safely repeat the name. */
export const toPrintableName = (name: string): string =>
  isXmlText(name) ? [...name.slice(0, 128)].slice(0, 64).join('') : '?'

/** Decodes a path segment for display. Returns the segment unchanged if it is malformed or has control characters. */
export const decodeSegment = (segment: string): string => {
  try {
    const text = decodeURIComponent(segment)
    return isXmlText(text) ? text : segment
  } catch {
    return segment
  }
}

const dayMs = 86_400_000
const maxFormattedDays = 1024
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
const threeDigits = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'))
const formattedDays = new Map<number, string>()

/** As Date.toISOString, but caches the dates, because a list of a million rows repeats them. */
const formatTime = (instant: Instant): string => {
  const day = Math.floor(instant / dayMs)
  const ms = instant - day * dayMs
  const hour = twoDigits[Math.trunc(ms / 3_600_000)]
  const minute = twoDigits[Math.trunc(ms / 60_000) % 60]
  const second = twoDigits[Math.trunc(ms / 1000) % 60]
  return `${formatDay(day)}T${hour}:${minute}:${second}.${threeDigits[ms % 1000]}`
}

const formatDay = (day: number): string => {
  const known = formattedDays.get(day)
  if (known !== undefined) return known
  const text = new Date(day * dayMs).toISOString().slice(0, -'T00:00:00.000Z'.length)
  if (formattedDays.size >= maxFormattedDays) formattedDays.clear()
  formattedDays.set(day, text)
  return text
}

const daysIn = (year: number, month: number) => {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

/** A period in which a zone keeps one offset. */
interface OffsetPeriod {
  readonly from: Instant
  readonly until: Instant
  readonly offsetMs: number
  readonly suffix: string
}

/** The last used period of each zone, because the times in one response are usually close together. */
const lastPeriods = new Map<string, OffsetPeriod>()

const periodAt = (instant: Instant, timeZone: string): OffsetPeriod => {
  const known = lastPeriods.get(timeZone)
  if (known && known.from <= instant && instant < known.until) return known
  const found = findPeriod(instant, timeZone)
  lastPeriods.set(timeZone, found)
  return found
}

/** Old local times had offsets with seconds. Local time and offset are rounded alike, so the text denotes the same instant. */
const findPeriod = (instant: Instant, timeZone: string): OffsetPeriod => {
  const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone)
  const minutes = Math.round(local.offsetNanoseconds / 60e9)
  const start = local.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
  const end = local.getTimeZoneTransition('next')
  return {
    from: start?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    until: end?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs: minutes * 60_000,
    suffix: writeOffset(minutes),
  }
}

const writeOffset = (minutes: number) => {
  const hours = String(Math.trunc(Math.abs(minutes) / 60)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${hours}:${String(Math.abs(minutes) % 60).padStart(2, '0')}`
}

const startOfDay = (date: string, timeZone: string) =>
  Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds

const isHighSurrogate = (unit: number) => (unit & 0xfc00) === 0xd800
const isLowSurrogate = (unit: number) => (unit & 0xfc00) === 0xdc00

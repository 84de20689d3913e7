import { locale } from '#console/app/state/preferences.ts'
import { general } from './general.ts'
import { members } from './members.ts'
import { overview } from './overview.ts'
import { records } from './records.ts'
import { textsIn } from './texts.ts'
import { todos } from './todos.ts'

export const wordsNow = textsIn({ ...general, ...records, overview, members, todos })

export const useWords = wordsNow

export type Words = ReturnType<typeof wordsNow>

/** The language of the page in the regional variant of the browser, because dates and times differ between countries. */
const regional = (language: string) =>
  navigator.languages.find((one) => one.split('-')[0] === language) ?? language

const cached = <T>(make: (language: string) => T) => {
  const made = new Map<string, T>()
  return (): T => {
    const language = locale.get()
    const found = made.get(language) ?? make(language)
    made.set(language, found)
    return found
  }
}

const dateFormat = (options: Intl.DateTimeFormatOptions) =>
  cached((l) => new Intl.DateTimeFormat(regional(l), options))

const dateTime = dateFormat({ dateStyle: 'medium', timeStyle: 'short' })
const date = dateFormat({ dateStyle: 'medium' })
const day = dateFormat({ month: 'short', day: 'numeric' })
const plainDate = dateFormat({ dateStyle: 'medium', timeZone: 'UTC' })
const time = dateFormat({ timeStyle: 'medium' })
const relative = cached((l) => new Intl.RelativeTimeFormat(l, { numeric: 'auto' }))
const whole = cached((l) => new Intl.NumberFormat(l))

export const formatDateTime = (instant: string | number) => dateTime().format(new Date(instant))
export const formatDate = (instant: string) => date().format(new Date(instant))
export const formatPlainDate = (day: string) => plainDate().format(new Date(`${day}T00:00:00Z`))
export const formatDay = (instant: number) => day().format(new Date(instant))
export const formatDayOrToday = (instant: number) =>
  instant <= Date.now() ? relative().format(0, 'day') : formatDay(instant)
export const formatTime = (instant: string | number) => time().format(new Date(instant))
/** The time, preceded by the date unless it is today. */
export const formatMoment = (instant: string) =>
  formatDate(instant) === formatDate(new Date().toISOString()) ? formatTime(instant) : formatDateTime(instant)
export const formatNumber = (value: number) => whole().format(value)

const units = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
] as const

/** `5 minutes ago`, in the largest unit that fits. */
export const formatAgo = (instant: string): string => {
  let value = (new Date(instant).getTime() - Date.now()) / 1000
  for (const [unit, length] of units) {
    if (Math.abs(Math.round(value)) < length) return relative().format(Math.round(value), unit)
    value /= length
  }
  return relative().format(Math.round(value), 'year')
}

export const formatFigure = (value: number): string => {
  const digits = value >= 100 || value === 0 ? 0 : value >= 10 ? 1 : 2
  return new Intl.NumberFormat(locale.get(), { maximumFractionDigits: digits }).format(value)
}

/** Parses a typed whole number, also with thousands separators or full-width digits. */
export const wholeNumberOf = (text: string) => {
  const digits = text.normalize('NFKC').trim()
  return /^(\d+|\d{1,3}(,\d{3})+)$/.test(digits) ? Number(digits.replaceAll(',', '')) : Number.NaN
}

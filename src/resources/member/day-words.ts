/**
 * Words of the search index for dates of birth. Each date is indexed by its prefixes (decade, year, month, …), so that few words
 * describe a range of any length.
 */

interface IndexedDays {
  readonly letter: string
  /** The lengths of the prefixes that are words. */
  readonly indexedLengths: readonly number[]
  readonly first: string
  readonly last: string
}

const birthDates: IndexedDays = {
  letter: 'd',
  indexedLengths: [1, 2, 3, 4, 6, 8],
  first: '00000101',
  last: '99991231',
}
const birthdays: IndexedDays = { letter: 'e', indexedLengths: [2, 4], first: '0101', last: '1231' }

/** The word for a prefix. Its n is not a hexadecimal digit, so it differs from all grams of names. */
const wordOf = ({ letter }: IndexedDays, prefix: string) => `n${letter}${prefix}`

/** All words of a date of birth. */
export const dayWords = (dateOfBirth: string): readonly string[] => {
  const digits = dateOfBirth.replaceAll('-', '')
  const wordsIn = (calendar: IndexedDays, day: string) =>
    calendar.indexedLengths.map((length) => wordOf(calendar, day.slice(0, length)))
  return [...wordsIn(birthDates, digits), ...wordsIn(birthdays, digits.slice(4))]
}

/** The days from `from` to the day before `to`. */
interface Range {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** The words for a range of dates of birth. Each member born in this range has exactly one of them. */
export const birthDateRangeWords = (range: Range) => rangeWords(birthDates, range)

/** The words for a range of birthdays (MM-dd). If the end of the range is before its start, the range includes New Year. */
export const birthdayRangeWords = ({ from = '01-01', to = '12-32' }: Range) =>
  from <= to
    ? rangeWords(birthdays, { from, to })
    : [...rangeWords(birthdays, { to }), ...rangeWords(birthdays, { from })]

const rangeWords = (calendar: IndexedDays, { from, to }: Range) => {
  const { first, last, indexedLengths } = calendar
  const [start, end] = [from?.replaceAll('-', '') ?? first, to?.replaceAll('-', '') ?? '~']
  const wordsBelow = (prefix: string, level: number): readonly string[] => {
    const [firstDay, lastDay] = [first, last].map((day) => prefix + day.slice(prefix.length))
    if (firstDay === undefined || lastDay === undefined || lastDay < start || firstDay >= end) return []
    if (level > 0 && firstDay >= start && lastDay < end) return [wordOf(calendar, prefix)]
    const length = indexedLengths[level] ?? 0
    const continuations =
      length - prefix.length === 1 ? digits : level === indexedLengths.length - 2 ? months : days
    return level === indexedLengths.length
      ? []
      : continuations.flatMap((one) => wordsBelow(prefix + one, level + 1))
  }
  return wordsBelow('', 0)
}

const digits = [...'0123456789']
const twoDigits = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1).padStart(2, '0'))
const months = twoDigits(12)
const days = twoDigits(31)

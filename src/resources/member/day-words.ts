/** Words of the index for dates of birth: a range of any length is a few of them. */

interface Calendar {
  readonly letter: string
  /** The lengths of the beginnings that are words. */
  readonly lengths: readonly number[]
  readonly first: string
  readonly last: string
}

const births: Calendar = { letter: 'd', lengths: [1, 2, 3, 4, 6, 8], first: '00000101', last: '99991231' }
const birthdays: Calendar = { letter: 'e', lengths: [2, 4], first: '0101', last: '1231' }

/** The letter n, which is no hexadecimal digit, tells a day from the grams of names. */
const wordFor = ({ letter }: Calendar, beginning: string) => `n${letter}${beginning}`

export const dayWords = (dateOfBirth: string): readonly string[] => {
  const digits = dateOfBirth.replaceAll('-', '')
  const wordsIn = (calendar: Calendar, day: string) =>
    calendar.lengths.map((length) => wordFor(calendar, day.slice(0, length)))
  return [...wordsIn(births, digits), ...wordsIn(birthdays, digits.slice(4))]
}

/** From the first day to the day before `to`. */
interface Range {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Each member born in this range has exactly one of these words. */
export const bornWords = (range: Range) => wordsWithin(births, range)

/** The same for days of the year (MM-dd). A range whose end comes before its start goes over New Year. */
export const birthdayWords = ({ from = '01-01', to = '12-32' }: Range) =>
  from <= to
    ? wordsWithin(birthdays, { from, to })
    : [...wordsWithin(birthdays, { to }), ...wordsWithin(birthdays, { from })]

const wordsWithin = (calendar: Calendar, { from, to }: Range) => {
  const { first, last, lengths } = calendar
  const [start, end] = [from?.replaceAll('-', '') ?? first, to?.replaceAll('-', '') ?? '~']
  const within = (beginning: string, level: number): readonly string[] => {
    const [least, most] = [first, last].map((day) => beginning + day.slice(beginning.length))
    if (least === undefined || most === undefined || most < start || least >= end) return []
    if (level > 0 && least >= start && most < end) return [wordFor(calendar, beginning)]
    const length = lengths[level] ?? 0
    const below = length - beginning.length === 1 ? digits : level === lengths.length - 2 ? months : days
    return level === lengths.length ? [] : below.flatMap((one) => within(beginning + one, level + 1))
  }
  return within('', 0)
}

const digits = [...'0123456789']
const twoDigits = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1).padStart(2, '0'))
const months = twoDigits(12)
const days = twoDigits(31)

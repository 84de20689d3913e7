/** Writes the number of a cell as the spreadsheet displays it. */
export type FormatNumber = (text: string) => string

/** A formatter for this cell format, which is the number of a built-in format, or the code of a custom one. */
export const numberFormatter = (format: number | string, is1904: boolean): FormatNumber => {
  const code =
    typeof format === 'number' ? '' : format.replace(/\[(?!(?:h{1,9}|m{1,9}|s{1,9})\])[^[\]]*\]|[_*]./gi, '')
  if (isDateNumber(format) || /[ymdhs年月日]/i.test(code.replace(/"[^"]*"|\\./g, '')))
    return formatDate(is1904)
  const mask = code.replace(/["\\]/g, '')
  return /^0[0\-() ]*0$/.test(mask) ? (text) => formatMasked(text, mask) : formatPlain
}

const isDateNumber = (format: number | string) =>
  typeof format === 'number' &&
  [
    [14, 22],
    [27, 36],
    [45, 47],
    [50, 58],
  ].some(([from = 0, to = 0]) => from <= format && format <= to)

/** A spreadsheet displays at most 15 digits: 0.1 + 0.2 is 0.3. Other programs also write longer whole numbers. */
const formatPlain: FormatNumber = (text) => {
  if (/^-?\d{16,}$/.test(text)) return text
  const number = Number(text)
  return Number.isFinite(number) ? String(Number(number.toPrecision(15))) : text
}

/** Fills a mask for post codes and telephone numbers, in which each 0 stands for a digit. */
const formatMasked = (text: string, mask: string) => {
  if (!/^\d+$/.test(text)) return formatPlain(text)
  const digits = [...text.padStart(mask.replace(/[^0]/g, '').length, '0')]
  const filled = [...mask].reduceRight(
    (shown, place) => (place === '0' ? (digits.pop() ?? '') : place) + shown,
    '',
  )
  return digits.join('') + filled
}

const dayMs = 86_400_000
const maxDays = 2_958_465

/** Converts days to a date. They are counted from 1904, or from 1900 as if 1900 had a 29 February. */
const formatDate =
  (is1904: boolean): FormatNumber =>
  (text) => {
    const days = Number(text)
    if (!(days >= 0 && days <= maxDays)) return text
    const begin = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30)
    const shown = new Date(begin + Math.round((days * dayMs) / 1000) * 1000).toISOString()
    if (days < 1 && days > 0) return shown.slice(11, 19)
    return shown.slice(11, 19) === '00:00:00' ? shown.slice(0, 10) : shown.slice(0, 19)
  }

/** Formats a date as IMF-fixdate, the form to be sent: `Sat, 21 Nov 2026 06:45:00 GMT` (RFC 9110, 5.6.7). */
export const httpDate = (instant: number): string => {
  const second = Math.floor(instant / 1000)
  const slot = Math.abs(second % cacheSlots)
  const cached = cache[slot]
  if (cached?.second === second) return cached.text
  const text = new Date(instant).toUTCString()
  cache[slot] = { second, text }
  return text
}

/** Formatting a date takes a twentieth of the time of a small answer, and most answers repeat two recent dates. */
const cache: ({ readonly second: number; readonly text: string } | undefined)[] = []
const cacheSlots = 1_024

/** Servers must understand all three forms. Today's clients send the first. */
const forms = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

export const parseHttpDate = (text: string): number | undefined => {
  if (!forms.some((form) => form.test(text))) return undefined
  const instant = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`)
  return Number.isNaN(instant) || !isRealDate(text, instant) ? undefined : instant
}

/** `Date.parse` would take the 31st of February for a day in March. */
const isRealDate = (text: string, instant: number) =>
  httpDate(instant).startsWith(text.slice(0, 3)) &&
  Number(/[ ,](\d\d?)[ -]/.exec(text)?.[1]) === new Date(instant).getUTCDate()

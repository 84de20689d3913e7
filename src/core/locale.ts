export const locales = ['en', 'ja'] as const
export type Locale = (typeof locales)[number]

/** Further ranges are ignored, because nobody lists so many languages. */
const maxRanges = 64

/** Chooses the best of our languages by RFC 4647 lookup. */
export const lookupLocale = (acceptLanguage: string | undefined, fallback: Locale): Locale => {
  if (!acceptLanguage) return fallback
  const ranges = readRanges(acceptLanguage)
  const refused = new Set(ranges.filter(({ q }) => q === 0).map(({ tag }) => tag))
  const wanted = ranges.filter(({ q }) => q > 0).sort((a, b) => b.q - a.q)
  for (const { tag } of wanted) {
    const found = tag === '*' ? anyLocale(wanted, refused, fallback) : shorten(tag)
    if (found && !refused.has(found)) return found
  }
  return fallback
}

interface Range {
  readonly tag: string
  readonly q: number
}

const rangeShape = /^(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:[ \t]*;[ \t]*q=([01](?:\.[0-9]{0,3})?))?$/

/** Skips malformed ranges. */
const readRanges = (header: string): Range[] =>
  header.split(',', maxRanges).flatMap((part) => {
    const [, tag, q = '1'] = rangeShape.exec(part.trim().toLowerCase()) ?? []
    return tag === undefined || Number(q) > 1 ? [] : [{ tag, q: Number(q) }]
  })

/** Lookup shortens `ja-jp-x-kansai` to `ja-jp-x`, `ja-jp` and `ja`. Our tags have one part, so the first part decides. */
const shorten = (tag: string): Locale | undefined => {
  const primary = tag.split('-', 1)[0]
  return locales.find((locale) => locale === primary)
}

/** `*` means any language that the header does not name. */
const anyLocale = (wanted: readonly Range[], refused: ReadonlySet<string>, fallback: Locale) => {
  const named = new Set(wanted.map(({ tag }) => shorten(tag)))
  return [fallback, ...locales].find((locale) => !refused.has(locale) && !named.has(locale))
}

export const locales = ['en', 'ja'] as const
export type Locale = (typeof locales)[number]

/** Language ranges after these are ignored, because nobody lists so many languages. */
const maxRanges = 64

/** Chooses a supported language by RFC 4647 lookup. */
export const lookupLocale = (acceptLanguage: string | undefined, fallback: Locale): Locale => {
  if (!acceptLanguage) return fallback
  const ranges = readRanges(acceptLanguage)
  const refused = new Set(ranges.filter(({ q }) => q === 0).map(({ tag }) => tag))
  const wanted = ranges.filter(({ q }) => q > 0).sort((a, b) => b.q - a.q)
  for (const { tag } of wanted) {
    const found = tag === '*' ? unnamedLocale(wanted, refused, fallback) : localeOf(tag)
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

/** RFC 4647 shortens `ja-jp-x-kansai` to `ja-jp-x`, `ja-jp` and `ja`. The tags of our languages have one subtag, so only the first subtag counts. */
const localeOf = (tag: string): Locale | undefined => {
  const primary = tag.split('-', 1)[0]
  return locales.find((locale) => locale === primary)
}

/** `*` means any language that the header does not name. */
const unnamedLocale = (wanted: readonly Range[], refused: ReadonlySet<string>, fallback: Locale) => {
  const named = new Set(wanted.map(({ tag }) => localeOf(tag)))
  return [fallback, ...locales].find((locale) => !refused.has(locale) && !named.has(locale))
}

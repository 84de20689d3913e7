import { type Locale, locales } from './locale.ts'

/** `e.xx.fw.7001`, `e.xx.yy.5001`, or the name of a constraint such as `NotNull`. */
export type Code = string

/** The text of every code in every language. `{name}` stands for an argument. */
export type Words = Readonly<Record<Locale, Readonly<Record<Code, string>>>>

/** What a code says in one language, in four lines: its message, what it means, why it happens, and what to do. */
export type Explained = `${string}\n${string}\n${string}\n${string}`

/** The one place of each code: what it says, in every language. */
export type ErrorTable<C extends Code = Code> = Readonly<Record<C, Readonly<Record<Locale, string>>>>

/** A case of a code, such as `Pattern.oneOf`, has a message only. */
type TextOf<C> = C extends `e.${string}` ? Explained : C extends `${string}.${string}` ? string : Explained

/** A table of codes. One that lacks a language or a line does not compile. */
export const errorTable = <const C extends Code>(
  table: {
    readonly [K in C]: Readonly<Record<Locale, TextOf<K>>>
  },
): ErrorTable<C> => table

/** The lines of a text. */
export const linesOf = (text: string): readonly string[] => text.split(/\n\s*/)

/** The messages of a table. */
export const wordsOf = <C extends Code>(table: ErrorTable<C>) => {
  const messages = (locale: Locale) =>
    Object.fromEntries(
      Object.entries<ErrorTable[Code]>(table).map(([code, text]) => [code, linesOf(text[locale])[0]]),
    ) as Record<C, string>
  return Object.fromEntries(locales.map((locale) => [locale, messages(locale)])) as Record<
    Locale,
    Record<C, string>
  >
}

/** Merges all tables into one. Throws if two tables have the same code. */
export const mergeErrors = (tables: readonly ErrorTable[]): ErrorTable => {
  const merged: Record<Code, ErrorTable[Code]> = {}
  for (const [code, text] of tables.flatMap((table) => Object.entries(table))) {
    if (code in merged) throw new Error(`two tables have ${code}`)
    merged[code] = text
  }
  return merged
}

/** Built by `join`, so that the string is flat: JSON.stringify is slow with a concatenated one. */
export const fillIn = (template: string, args: Readonly<Record<string, string | number>>): string =>
  partsOf(template)
    .map((part, at) => (at % 2 === 0 ? part : (args[part] ?? `{${part}}`)))
    .join('')

const known = new Map<string, readonly string[]>()

/** Literal text and argument names, alternating. There are few templates, and each is split once. */
const partsOf = (template: string): readonly string[] => {
  const found = known.get(template)
  if (found) return found
  const parts = template.split(/\{(\w+)\}/)
  known.set(template, parts)
  return parts
}

import { type Locale, locales } from './locale.ts'
import { memoize } from './memoize.ts'

/** `e.xx.fw.7001`, `e.xx.yy.5001`, or the name of a constraint such as `NotNull`. */
export type Code = string

/** A text in every language, or the same in all. */
export type AnyText = string | (Readonly<Record<'en', string>> & Readonly<Partial<Record<Locale, string>>>)

/** The text of every code in every language. `{name}` stands for an argument. */
export type Words = Readonly<Record<Locale, Readonly<Record<Code, string>>>>

/** A code's text in one language, in four lines: its message, its meaning, its cause and its cure. */
export type Explained = `${string}\n${string}\n${string}\n${string}`

/** Codes, each with its text in every language. */
export type ErrorTable<C extends Code = Code> = Readonly<Record<C, Readonly<Record<Locale, string>>>>

/** A case of a code, such as `Pattern.oneOf`, has only a message. */
type TextOf<C> = C extends `e.${string}` ? Explained : C extends `${string}.${string}` ? string : Explained

/** A table of codes. It does not compile if a language or a line is missing. */
export const errorTable = <const C extends Code>(
  table: {
    readonly [K in C]: Readonly<Record<Locale, TextOf<K>>>
  },
): ErrorTable<C> => table

export const linesOf = (text: string): readonly string[] => text.split(/\n\s*/)

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

/** Fills in the arguments. `join` makes a flat string; JSON.stringify is slow with a concatenated one. */
export const fillIn = (template: string, args: Readonly<Record<string, string | number>>): string =>
  partsOf(template)
    .map((part, at) => (at % 2 === 0 ? part : (args[part] ?? `{${part}}`)))
    .join('')

/** Splits a template into literal text and argument names, alternating. */
const partsOf = memoize((template) => template.split(/\{(\w+)\}/))

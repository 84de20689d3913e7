import { type Locale, locales } from './locale.ts'
import { memoize } from './memoize.ts'

/** `e.xx.fw.7001`, `e.xx.yy.5001`, or the name of a constraint such as `NotNull`. */
export type Code = string

/** A text for all languages, or a text per language. A missing language falls back to English. */
export type LocalizedText = string | ({ readonly en: string } & Readonly<Partial<Record<Locale, string>>>)

/** The message of every code in every language. `{name}` stands for an argument. */
export type Messages = Readonly<Record<Locale, Readonly<Record<Code, string>>>>

/** The text of a code in one language: a line each for its message, meaning, cause and cure. */
export type FourLines = `${string}\n${string}\n${string}\n${string}`

/** Codes, each with its text in every language. */
export type ErrorTable<C extends Code = Code> = Readonly<Record<C, Readonly<Record<Locale, string>>>>

/** `Pattern.oneOf` has only a message: its other lines are those of `Pattern`. */
type RequiredText<C> = C extends `${Capitalize<string>}.${string}` ? string : FourLines

/** Declares a table of codes. The declaration does not compile if a language or a line is missing. */
export const errorTable = <const C extends Code>(
  table: {
    readonly [K in C]: Readonly<Record<Locale, RequiredText<K>>>
  },
): ErrorTable<C> => table

export const splitLines = (text: string): readonly string[] => text.split(/\n\s*/)

export const messagesOf = <C extends Code>(table: ErrorTable<C>) => {
  const messages = (locale: Locale) =>
    Object.fromEntries(
      Object.entries<ErrorTable[Code]>(table).map(([code, text]) => [code, splitLines(text[locale])[0]]),
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

/** Fills in the arguments. `join` makes a flat string, which JSON.stringify writes faster than a concatenated one. */
export const fillIn = (template: string, args: Readonly<Record<string, string | number>>): string =>
  splitTemplate(template)
    .map((part, index) => (index % 2 === 0 ? part : (args[part] ?? `{${part}}`)))
    .join('')

/** Splits a template into literal text and argument names, alternating. */
const splitTemplate = memoize((template) => template.split(/\{(\w+)\}/))

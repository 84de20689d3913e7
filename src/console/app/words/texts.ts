import { locale } from '#console/app/state/preferences.ts'
import { splitLines } from '#core/error-table.ts'
import { type Locale, locales } from '#core/locale.ts'

type TextIn<Languages extends readonly Locale[]> = { readonly [At in keyof Languages]: string }

/** A text in every language, in the order of `locales`: an array, or one string with a line for each language. */
export type Text = TextIn<typeof locales> | `${string}\n${string}`

/** Texts by name. Some take arguments. Some come from another module as one table per language. */
export interface TextTable {
  readonly [name: string]: Text | ((...args: never[]) => Text) | Readonly<Record<Locale, object>> | TextTable
}

/** The texts of a table in one language. */
export type TextsOf<T> = T extends Text
  ? string
  : T extends (...args: infer Args) => Text
    ? (...args: Args) => string
    : T extends Readonly<Record<Locale, infer Own>>
      ? Own
      : { readonly [Name in keyof T]: TextsOf<T[Name]> }

/** Returns a function that gives the texts in the chosen language. When the language changes, the whole page renders again. */
export const textsIn = <T extends TextTable>(table: T): (() => TextsOf<T>) => {
  const tables = locales.map((language) => inLanguage(table, language))
  return () => tables[locales.indexOf(locale.get())] as TextsOf<T>
}

/** The texts of a table in the chosen language, for tables that depend on arguments. */
export const textsNow = <T extends TextTable>(table: T) => inLanguage(table, locale.get()) as TextsOf<T>

const inLanguage = (entry: TextTable[string], language: Locale): unknown => {
  if (typeof entry === 'function')
    return (...args: never[]) => inLanguage(entry(...(args.map(inOneLine) as never[])), language)
  const texts = typeof entry === 'string' ? splitLines(entry.trim()) : entry
  if (Array.isArray(texts)) return texts[locales.indexOf(language)]
  if (language in texts) return (texts as Readonly<Record<Locale, object>>)[language]
  return Object.fromEntries(Object.entries(texts).map(([name, one]) => [name, inLanguage(one, language)]))
}

/** Removes line breaks from an argument, because a line break in a text begins the next language. */
const inOneLine = (argument: unknown): unknown => {
  if (Array.isArray(argument)) return argument.map(inOneLine)
  return typeof argument === 'string' ? argument.replaceAll('\n', ' ') : argument
}

export const number = (n: number) => n.toLocaleString('en')

/** A number and its noun, in English. */
export const count = (n: number, one: string, many: string) => `${number(n)} ${n === 1 ? one : many}`

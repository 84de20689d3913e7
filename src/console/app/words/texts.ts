import { locale } from '#console/app/state/preferences.ts'
import { type Locale, locales } from '#core/locale.ts'

type TextIn<Languages extends readonly Locale[]> = { readonly [At in keyof Languages]: string }

/** A text in every language, in the order of `locales`. */
export type Text = TextIn<typeof locales>

/** Texts by name. Some take arguments, and some are kept elsewhere, in a table for each language. */
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

/** Gives the texts of a table in the chosen language. The whole page is drawn again when another is chosen. */
export const textsIn = <T extends TextTable>(table: T): (() => TextsOf<T>) => {
  const tables = locales.map((language) => inLanguage(table, language))
  return () => tables[locales.indexOf(locale.get())] as TextsOf<T>
}

/** The texts of a table that is not always the same. */
export const textsNow = <T extends TextTable>(table: T) => inLanguage(table, locale.get()) as TextsOf<T>

const inLanguage = (entry: TextTable[string], language: Locale): unknown => {
  const at = locales.indexOf(language)
  if (Array.isArray(entry)) return entry[at]
  if (typeof entry === 'function') return (...args: never[]) => entry(...args)[at]
  if (language in entry) return (entry as Readonly<Record<Locale, object>>)[language]
  return Object.fromEntries(Object.entries(entry).map(([name, one]) => [name, inLanguage(one, language)]))
}

export const number = (n: number) => n.toLocaleString('en')

/** A number of things, in English. */
export const count = (n: number, one: string, many: string) => `${number(n)} ${n === 1 ? one : many}`

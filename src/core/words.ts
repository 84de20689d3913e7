import type { Locale } from './locale.ts'

/** `e.xx.fw.7001`, `e.xx.yy.5001`, or the name of a constraint such as `NotNull`. */
export type Code = string

/** The text of every code in every language. `{name}` stands for an argument. */
export type Words = Readonly<Record<Locale, Readonly<Record<Code, string>>>>

/** Words with the same codes in every language: a missing code does not compile. */
export const words = <const C extends string>(table: Record<Locale, Record<C, string>>) => table

/** Merges all tables into one. Throws if two tables have the same code. */
export const mergeWords = (tables: readonly Words[]): Words => ({
  en: mergeTables(tables.map((table) => table.en)),
  ja: mergeTables(tables.map((table) => table.ja)),
})

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

const mergeTables = (tables: readonly Readonly<Record<Code, string>>[]) => {
  const merged: Record<Code, string> = {}
  for (const [code, text] of tables.flatMap((table) => Object.entries(table))) {
    if (code in merged) throw new Error(`two tables have ${code}`)
    merged[code] = text
  }
  return merged
}

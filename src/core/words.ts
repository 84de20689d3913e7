import type { Locale } from './locale.ts'

/** `e.xx.fw.7001`, `e.xx.yy.5001`, or the name of a constraint such as `NotNull`. */
export type Code = string

/** What every code says in every language. `{name}` stands for an argument. */
export type Words = Readonly<Record<Locale, Readonly<Record<Code, string>>>>

/** Words whose languages all say the same codes: a missing one does not compile. */
export const words = <const C extends string>(table: Record<Locale, Record<C, string>>) => table

/** All tables as one. A code that two tables claim is a mistake. */
export const mergeWords = (tables: readonly Words[]): Words => ({
  en: mergeTables(tables.map((table) => table.en)),
  ja: mergeTables(tables.map((table) => table.ja)),
})

/** Made by `join`, so that it is in one piece: JSON.stringify is slow with a concatenated text. */
export const fillIn = (template: string, args: Readonly<Record<string, string | number>>): string =>
  partsOf(template)
    .map((part, at) => (at % 2 === 0 ? part : (args[part] ?? `{${part}}`)))
    .join('')

const taken = new Map<string, readonly string[]>()

/** Text and names in turn. There are few templates, and each is taken apart once. */
const partsOf = (template: string): readonly string[] => {
  const known = taken.get(template)
  if (known) return known
  const parts = template.split(/\{(\w+)\}/)
  taken.set(template, parts)
  return parts
}

const mergeTables = (tables: readonly Readonly<Record<Code, string>>[]) => {
  const merged: Record<Code, string> = {}
  for (const [code, text] of tables.flatMap((table) => Object.entries(table))) {
    if (code in merged) throw new Error(`two tables say ${code}`)
    merged[code] = text
  }
  return merged
}

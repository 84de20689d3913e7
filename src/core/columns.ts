import type { CsvFields } from './csv.ts'
import { type Foreign, isAmong, lettersOf } from './foreign.ts'
import { printable } from './formats.ts'
import { nearestName } from './nearest-name.ts'

/** The columns that a file may have. `credential.signId` is a field within `credential`. */
export interface Columns {
  readonly known: readonly string[]
  /** A file has at least one of each of these groups. */
  readonly required: readonly (readonly string[])[]
  /** What other programs call them. */
  readonly foreign?: Foreign | undefined
}

/** What somebody says that a heading means, by its letters: a column, or `''` for one that is left out. */
export type Choices = ReadonlyMap<string, string>

/** What is wrong with a column of a header line. */
export type ColumnFault =
  | { readonly fault: 'twice' | 'missing'; readonly column: string }
  | { readonly fault: 'within'; readonly column: string; readonly other: string }
  | { readonly fault: 'unknown'; readonly column: string; readonly closest: readonly string[] }

interface Header {
  /** Undefined for a column that is left out. */
  readonly names: readonly (string | undefined)[]
  /** If there are any, all rows would be refused for them. */
  readonly faults: readonly ColumnFault[]
}

/**
 * Reads a header line, unless it is none: it names no column at all, or none that is known. The last part of a field's name
 * is short for it, if it is the last part of no other.
 */
export const readHeader = (
  headings: CsvFields,
  columns: Columns,
  choices: Choices = new Map(),
): Header | 'unnamed' | 'foreign' => {
  const names = headings.map((heading = '') => nameOf(heading.trim(), columns, choices))
  const named = names.filter((name) => name !== undefined).filter((name) => name !== '')
  if (named.length === 0) return 'unnamed'
  // It may be a record, with a password that must not be shown.
  if (!named.some((name) => columns.known.includes(name))) return 'foreign'
  const clash = clashIn(named)
  if (clash) return { names, faults: [clash] }
  return { names, faults: [...unknownIn(named, columns), ...missingIn(named, columns)] }
}

const nameOf = (heading: string, { known, foreign }: Columns, choices: Choices): string | undefined => {
  const chosen = choices.get(lettersOf(heading))
  if (chosen !== undefined) return chosen === '' ? undefined : (fieldNamed(chosen, known) ?? chosen)
  const own = fieldNamed(heading, known)
  if (own !== undefined) return own
  // A note in brackets is no part of the name.
  for (const letters of [heading, heading.replace(/[(（][^(（)）]*[)）]/g, '')].map(lettersOf)) {
    const [meant, ...others] = [...known, ''].filter((field) => isMeant(field, letters, foreign))
    if (meant !== undefined && others.length === 0) return meant || undefined
  }
  return heading
}

const fieldNamed = (name: string, known: Columns['known']): string | undefined => {
  if (known.includes(name)) return name
  const [within, ...more] = known.filter((field) => field.endsWith(`.${name}`))
  return more.length === 0 ? within : undefined
}

const isMeant = (field: string, letters: string, foreign: Foreign = {}) =>
  letters !== '' && isAmong([field, field.replace(/^.*\./, ''), foreign[field]?.words].join(), letters)

/** No two columns may name the same field, nor may one name a part of another. */
const clashIn = (names: readonly string[]): ColumnFault | undefined => {
  const fields = new Set<string>()
  for (const column of names) {
    if (fields.has(column)) return { fault: 'twice', column }
    fields.add(column)
  }
  for (const column of fields) {
    const other = ancestorsOf(column).find((one) => fields.has(one))
    if (other !== undefined) return { fault: 'within', column, other }
  }
  return undefined
}

/** The fields that contain this one: for `a.b.c`, `a` and `a.b`. */
const ancestorsOf = (name: string) => {
  const parts = name.split('.')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'))
}

const unknownIn = (names: readonly string[], { known }: Columns): readonly ColumnFault[] =>
  names
    .filter((name) => !known.includes(name))
    .map((name) => ({ fault: 'unknown', column: printable(name), closest: closestTo(name, known) }))

const missingIn = (names: readonly string[], { required }: Columns): readonly ColumnFault[] =>
  required
    .filter((group) => !group.some((name) => names.includes(name)))
    .map(([column = '']) => ({ fault: 'missing', column }))

const closestTo = (name: string, known: readonly string[]): readonly string[] => {
  const closest = nearestName(name, known)
  return closest === undefined ? known.filter((field) => isSimilar(field, name)) : [closest]
}

/** Whether one contains the other, whatever the case and the characters between words. */
const isSimilar = (field: string, name: string) => {
  const [one, other] = [lettersOf(field), lettersOf(name)]
  return other !== '' && (one.includes(other) || other.includes(one))
}

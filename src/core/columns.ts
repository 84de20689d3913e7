import type { CsvFields } from './csv.ts'
import { type Foreign, isAmong, lettersOf } from './foreign.ts'
import { printable } from './formats.ts'
import { nearestName } from './nearest-name.ts'

/** The columns that a file may have. `credential.signId` is a field in `credential`. */
export interface Columns {
  readonly known: readonly string[]
  /** A file must have at least one column of each group. */
  readonly required: readonly (readonly string[])[]
  /** The names that other programs use. */
  readonly foreign?: Foreign | undefined
}

/** A user's choice for each heading, by its letters: a column, or `''` to leave the heading out. */
export type Choices = ReadonlyMap<string, string>

/** A fault of a column in a header line. */
export type ColumnFault =
  | { readonly fault: 'twice' | 'missing'; readonly column: string }
  | { readonly fault: 'within'; readonly column: string; readonly other: string }
  | { readonly fault: 'unknown'; readonly column: string; readonly closest: readonly string[] }

interface Header {
  /** Undefined for a column that is left out. */
  readonly names: readonly (string | undefined)[]
  /** With any fault, every row would be refused. */
  readonly faults: readonly ColumnFault[]
}

/**
 * Reads a header line. Returns `unnamed` if it names no column, and `foreign` if it names no known one. The last part of a
 * field's name is short for the field if no other field's name ends with it.
 */
export const readHeader = (
  headings: CsvFields,
  columns: Columns,
  choices: Choices = new Map(),
): Header | 'unnamed' | 'foreign' => {
  const names = headings.map((heading = '') => nameOf(heading.trim(), columns, choices))
  const named = names.filter((name) => name !== undefined).filter((name) => name !== '')
  if (named.length === 0) return 'unnamed'
  // The line may be a record with a password, so it must not be shown.
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
  // A note in brackets does not belong to the name.
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

/** Finds two columns that name the same field, or a column inside another one. */
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

/** The fields that contain this field: for `a.b.c`, `a` and `a.b`. */
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

/** Whether one name contains the other, ignoring case and the characters between words. */
const isSimilar = (field: string, name: string) => {
  const [one, other] = [lettersOf(field), lettersOf(name)]
  return other !== '' && (one.includes(other) || other.includes(one))
}

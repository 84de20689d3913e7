import type { CsvFields } from '#core/csv.ts'
import { type ForeignColumns, lettersAndDigitsOf } from '#core/foreign-files.ts'
import { bodyInvalid, notOneOf } from '#core/problem.ts'
import type { Fields } from '#core/schema.ts'
import { fullNameWords, nameOrderOf, nameOrders } from './full-name.ts'
import { isJoined, isSecret, roleField } from './interpreting.ts'
import type { Column } from './store.ts'
import { fits } from './values.ts'

/** The fields that columns can be mapped to, with all their names. */
export interface MappableFields {
  /** A nested field has a dotted name. */
  readonly fields: Fields
  /** The names of the fields in other programs. */
  readonly foreign?: ForeignColumns | undefined
  /** The labels of the fields in each language. */
  readonly labels?: readonly Readonly<Record<string, string>>[] | undefined
  /** The fields that identify records. */
  readonly unique?: readonly string[] | undefined
}

const maxTitleRows = 20

/**
 * Finds the row of headings: the row that names most fields, otherwise the first row with the most cells. Undefined if that row
 * holds values.
 */
export const headerRow = <R extends { readonly cells: CsvFields }>(
  rows: readonly R[],
  mappable: MappableFields,
): R | undefined => {
  const first = rows.slice(0, maxTitleRows)
  const named = (row: R) => mapColumns(row.cells, [], mappable).filter((name) => name !== null).length
  const best = first.reduce<R | undefined>(
    (found, row) => (found && named(found) >= named(row) ? found : row),
    undefined,
  )
  if (best && named(best) > 0) return best
  const widths = first.map(({ cells }) => cells.filter((cell) => cell !== undefined).length)
  const widest = first[widths.indexOf(Math.max(...widths))]
  return widest?.cells.some((cell = '') => /@|\d{4}/.test(cell)) ? undefined : widest
}

/**
 * Maps each column to a field, or to the order of a full name (`last first`); null leaves the column out. `samples` are the
 * first rows below the headings. A heading that only contains a word for a field counts if the samples fit the field.
 */
export const mapColumns = (
  headings: CsvFields,
  samples: readonly CsvFields[],
  mappable: MappableFields,
): readonly (string | null)[] => {
  const words = wordsOf(mappable)
  const below = (at: number) => samples.flatMap((cells) => cells[at] ?? [])
  const exact = headings.map((heading = '') => findExact(heading, words))
  const found = headings.map((heading = '', at) => {
    const field = exact[at] ?? findWithin(heading, words)
    if (field === undefined || exact.indexOf(field) === at) return field ?? null
    return exact.includes(field) || !fits(mappable.fields[field] ?? {}, below(at), mappable.foreign?.[field])
      ? null
      : field
  })
  const once = found.map((field, at) =>
    field && found.indexOf(field) === at && !isContradicted(field, below(at), mappable) ? field : null,
  )
  return withAddressParts(withFullName(once, headings, below), headings, mappable)
}

/** Sets the chosen fields. Refuses an unknown field, and a field that two columns fill unless their texts can be joined. */
export const chooseFields = (
  columns: readonly Column[],
  chosen: readonly Pick<Column, 'field'>[],
  mappable: MappableFields,
): readonly Column[] => {
  const next = columns.map((column, at) => ({ ...column, ...(chosen[at] && { field: chosen[at].field }) }))
  for (const [at, { field }] of next.entries()) {
    if (field === null) continue
    const target = `columns.${at}.field`
    requireField(mappable, field, target)
    const first = next.findIndex((other) => other.field === field)
    if (first < at && !isJoined(mappable, field))
      throw bodyInvalid([{ code: 'Pattern', wording: 'Pattern.twice', target }])
  }
  return next
}

export const requireField = ({ fields }: MappableFields, field: string, target: string) => {
  const names = [...Object.keys(fields), ...nameOrders]
  if (!names.includes(field)) throw bodyInvalid([notOneOf(target, names)])
}

/** Also maps the columns that continue an address, such as a column for the building to the right of the street. */
const withAddressParts = (
  mapping: readonly (string | null)[],
  headings: CsvFields,
  { foreign = {} }: MappableFields,
): readonly (string | null)[] => {
  const parted = [...mapping]
  for (const [field, { appendedColumns = '' }] of Object.entries(foreign)) {
    const from = mapping.indexOf(field)
    const words = appendedColumns.split(',').map(lettersAndDigitsOf)
    const isPart = (heading = '') => words.some((word) => word && lettersAndDigitsOf(heading).endsWith(word))
    for (let at = from + 1; from >= 0 && at < headings.length; at++) {
      if (isPart(headings[at]) && mapping[at] === null) parted[at] = field
      else if (mapping[at] !== 'zipCode') break
    }
  }
  return parted
}

/** Whether the samples contradict the field: repeated values identify no records, and asterisks are no password. */
const isContradicted = (field: string, texts: readonly string[], { fields, unique = [] }: MappableFields) =>
  (unique.includes(field) && texts.length > 2 && new Set(texts).size * 2 < texts.length) ||
  (isSecret(fields, field) && !fits(fields[field] ?? {}, texts))

type Words = ReadonlyMap<string, string>

/** Maps each word to its field. A word for two fields is ambiguous. */
const wordsOf = ({ fields, foreign = {}, labels = [] }: MappableFields): Words => {
  const words = new Map<string, string>()
  for (const field of Object.keys(fields)) {
    // In files of people, a role is their job.
    const short = field === roleField ? [] : [field.replace(/^.*\./, '')]
    const names = [field, ...short, ...labels.map((one) => one[field] ?? '')]
    for (const letters of [...names, ...(foreign[field]?.names.split(',') ?? [])].map(lettersAndDigitsOf))
      if (letters !== '') words.set(letters, (words.get(letters) ?? field) === field ? field : ambiguous)
  }
  return words
}

const ambiguous = '?'

/** Columns that are never mapped: the pronunciation of a Japanese name, a hash of a password, and times that the service writes. */
const unmapped =
  /hash|^(?:createdAt|lastModifiedAt)$|カナ|かな|ふりがな|フリガナ|ローマ字|\b(?:kana|furigana|romaji|phonetic)\b/i

/** Finds the field that the heading names. Ignores a note in brackets, unless a word for a field contains it. */
const findExact = (heading: string, words: Words) => {
  if (unmapped.test(heading)) return undefined
  const field =
    words.get(lettersAndDigitsOf(heading)) ??
    words.get(lettersAndDigitsOf(heading.replace(/[(（[][^(（[)）\]]*[)）\]]/g, '')))
  return field === ambiguous ? undefined : field
}

const maxHeadingLength = 100

/**
 * Finds a word for a field within the heading. A Japanese word may begin anywhere. The last word decides: “Home address: zip
 * code” is a zip code.
 */
const findWithin = (heading: string, words: Words) => {
  if (unmapped.test(heading) || heading.length > maxHeadingLength) return undefined
  const letters = lettersAndDigitsOf(heading)
  const parts = heading.match(/\p{Lu}?[^\P{L}\p{Lu}]+|\p{L}+/gu)?.map(lettersAndDigitsOf) ?? []
  const runs = parts.flatMap((_, from) =>
    parts.slice(from).map((_, to) => parts.slice(from, from + to + 1).join('')),
  )
  const isFound = (word: string) => word.length > 1 && (runs.includes(word) || japanese.test(word))
  const endOf = (word: string) => letters.lastIndexOf(word) + word.length
  const [last = ''] = [...words.keys()]
    .filter((word) => letters.includes(word) && isFound(word))
    .sort((one, other) => endOf(other) - endOf(one) || other.length - one.length)
  const field = words.get(last)
  return field === ambiguous ? undefined : field
}

const japanese = /^[\p{sc=Han}\p{sc=Katakana}\p{sc=Hiragana}ー]+$/u

/** A column “Name” holds the last name if another column has the first name, otherwise both names. */
const withFullName = (
  mapping: readonly (string | null)[],
  headings: CsvFields,
  below: (at: number) => readonly string[],
) => {
  const at = headings.findIndex(
    (heading = '', index) => mapping[index] === null && fullNameWords.has(lettersAndDigitsOf(heading)),
  )
  if (at < 0 || mapping.includes('lastName')) return mapping
  return mapping.with(at, mapping.includes('firstName') ? 'lastName' : nameOrderOf(below(at)))
}

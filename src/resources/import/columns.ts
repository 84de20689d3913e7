import type { CsvFields } from '#core/csv.ts'
import { type ForeignColumns, lettersAndDigitsOf } from '#core/foreign-files.ts'
import { bodyInvalid, notOneOf } from '#core/problem.ts'
import type { Fields } from '#core/schema.ts'
import { fullNameWords, guessNameOrder, nameOrders } from './full-name.ts'
import { canBeJoined, isSecret, roleField } from './interpreting.ts'
import type { Column } from './store.ts'
import { doSamplesFit } from './values.ts'

/** The fields to which columns can be mapped, with all their names. */
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
 * Finds the row of headings: the row that names most fields. If no row names a field, it is the first row with the most cells, or
 * undefined if that row contains values.
 */
export const findHeaderRow = <R extends { readonly cells: CsvFields }>(
  rows: readonly R[],
  mappable: MappableFields,
): R | undefined => {
  const first = rows.slice(0, maxTitleRows)
  const namedFieldCount = (row: R) =>
    mapColumns(row.cells, [], mappable).filter((name) => name !== null).length
  const best = first.reduce<R | undefined>(
    (found, row) => (found && namedFieldCount(found) >= namedFieldCount(row) ? found : row),
    undefined,
  )
  if (best && namedFieldCount(best) > 0) return best
  const widths = first.map(({ cells }) => cells.filter((cell) => cell !== undefined).length)
  const widest = first[widths.indexOf(Math.max(...widths))]
  return widest?.cells.some((cell = '') => /@|\d{4}/.test(cell)) ? undefined : widest
}

/**
 * Maps each column to a field, to the order of a full name (`last first`), or to null if it is not imported. `samples` are the
 * first rows below the headings. A heading that contains more than a word for a field is mapped only if the samples fit the field.
 */
export const mapColumns = (
  headings: CsvFields,
  samples: readonly CsvFields[],
  mappable: MappableFields,
): readonly (string | null)[] => {
  const words = wordsOf(mappable)
  const samplesOf = (at: number) => samples.flatMap((cells) => cells[at] ?? [])
  const exact = headings.map((heading = '') => findExact(heading, words))
  const found = headings.map((heading = '', at) => {
    const field = exact[at] ?? findWithin(heading, words)
    if (field === undefined || exact.indexOf(field) === at) return field ?? null
    return exact.includes(field) ||
      !doSamplesFit(mappable.fields[field] ?? {}, samplesOf(at), mappable.foreign?.[field])
      ? null
      : field
  })
  const unambiguous = found.map((field, at) =>
    field && found.indexOf(field) === at && !isContradicted(field, samplesOf(at), mappable) ? field : null,
  )
  return withAppendedColumns(withFullName(unambiguous, headings, samplesOf), headings, mappable)
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
    if (first < at && !canBeJoined(mappable, field))
      throw bodyInvalid([{ code: 'Pattern', wording: 'Pattern.twice', target }])
  }
  return next
}

export const requireField = ({ fields }: MappableFields, field: string, target: string) => {
  const names = [...Object.keys(fields), ...nameOrders]
  if (!names.includes(field)) throw bodyInvalid([notOneOf(target, names)])
}

/** Also maps columns that continue the column of a field, such as the city to the right of the street. */
const withAppendedColumns = (
  mapping: readonly (string | null)[],
  headings: CsvFields,
  { foreign = {} }: MappableFields,
): readonly (string | null)[] => {
  const extended = [...mapping]
  for (const [field, { appendedColumns = '' }] of Object.entries(foreign)) {
    const from = mapping.indexOf(field)
    const words = appendedColumns.split(',').map(lettersAndDigitsOf)
    const isAppended = (heading = '') =>
      words.some((word) => word && lettersAndDigitsOf(heading).endsWith(word))
    for (let at = from + 1; from >= 0 && at < headings.length; at++) {
      if (isAppended(headings[at]) && mapping[at] === null) extended[at] = field
      else if (mapping[at] !== 'zipCode') break
    }
  }
  return extended
}

/** Samples contradict a field: repeated values cannot identify records, and asterisks are not passwords. */
const isContradicted = (field: string, texts: readonly string[], { fields, unique = [] }: MappableFields) =>
  (unique.includes(field) && texts.length > 2 && new Set(texts).size * 2 < texts.length) ||
  (isSecret(fields, field) && !doSamplesFit(fields[field] ?? {}, texts))

type Words = ReadonlyMap<string, string>

/** Maps each word to its field. A word for two fields is mapped to `ambiguous`. */
const wordsOf = ({ fields, foreign = {}, labels = [] }: MappableFields): Words => {
  const words = new Map<string, string>()
  for (const field of Object.keys(fields)) {
    // The role of a member is mapped only by its full name: a column "role" usually contains the job of a person.
    const short = field === roleField ? [] : [field.replace(/^.*\./, '')]
    const names = [field, ...short, ...labels.map((one) => one[field] ?? '')]
    for (const letters of [...names, ...(foreign[field]?.names.split(',') ?? [])].map(lettersAndDigitsOf))
      if (letters !== '') words.set(letters, (words.get(letters) ?? field) === field ? field : ambiguous)
  }
  return words
}

const ambiguous = '?'

/** Headings that are never mapped: the pronunciation of a Japanese name, a password hash, and times that the service writes. */
const neverMapped =
  /hash|^(?:createdAt|lastModifiedAt)$|カナ|かな|ふりがな|フリガナ|ローマ字|\b(?:kana|furigana|romaji|phonetic)\b/i

/** Finds the field that the whole heading names. A remark in brackets is ignored, unless a word for a field contains it. */
const findExact = (heading: string, words: Words) => {
  if (neverMapped.test(heading)) return undefined
  const field =
    words.get(lettersAndDigitsOf(heading)) ??
    words.get(lettersAndDigitsOf(heading.replace(/[(（[][^(（[)）\]]*[)）\]]/g, '')))
  return field === ambiguous ? undefined : field
}

const maxHeadingLength = 100

/**
 * Finds the field whose word the heading contains. A Japanese word may begin anywhere. If there are several words, the last one
 * decides: “Home address: zip code” is a zip code.
 */
const findWithin = (heading: string, words: Words) => {
  if (neverMapped.test(heading) || heading.length > maxHeadingLength) return undefined
  const letters = lettersAndDigitsOf(heading)
  const pieces = heading.match(/\p{Lu}?[^\P{L}\p{Lu}]+|\p{L}+/gu)?.map(lettersAndDigitsOf) ?? []
  const sequences = pieces.flatMap((_, from) =>
    pieces.slice(from).map((_, to) => pieces.slice(from, from + to + 1).join('')),
  )
  const isWholeWord = (word: string) => word.length > 1 && (sequences.includes(word) || japanese.test(word))
  const endOf = (word: string) => letters.lastIndexOf(word) + word.length
  const [last = ''] = [...words.keys()]
    .filter((word) => letters.includes(word) && isWholeWord(word))
    .sort((one, other) => endOf(other) - endOf(one) || other.length - one.length)
  const field = words.get(last)
  return field === ambiguous ? undefined : field
}

const japanese = /^[\p{sc=Han}\p{sc=Katakana}\p{sc=Hiragana}ー]+$/u

/** Maps a column “Name” to the last name if another column contains the first name, otherwise to the full name. */
const withFullName = (
  mapping: readonly (string | null)[],
  headings: CsvFields,
  samplesOf: (at: number) => readonly string[],
) => {
  const at = headings.findIndex(
    (heading = '', index) => mapping[index] === null && fullNameWords.has(lettersAndDigitsOf(heading)),
  )
  if (at < 0 || mapping.includes('lastName')) return mapping
  return mapping.with(at, mapping.includes('firstName') ? 'lastName' : guessNameOrder(samplesOf(at)))
}

import { foldForSearch } from '#core/fold.ts'
import type { Database } from '#sql/database.ts'
import { empty, join, type Query, sql } from '#sql/query.ts'

/** Separates the two orders of a name. No name and no search text can contain it. */
const separator = '\u001f'

/** A search text of up to this many characters is a single gram, which the index alone can answer. */
const maxGramLength = 3

/** The name as it is searched: in both orders, folded so that case, width and accents do not matter. */
export const searchableName = (firstName: string, lastName: string) =>
  foldForSearch(`${firstName} ${lastName}${separator}${lastName} ${firstName}`)

/** Every run of one, two and three characters of a text, as words for an index. */
export const gramsOf = (text: string): string => {
  const grams = new Set<string>()
  for (let length = 1; length <= maxGramLength; length++)
    for (const gram of runs(text, length)) grams.add(gram)
  return [...grams].join(' ')
}

interface NameSearch {
  /** A condition on `member_gram`. */
  readonly inIndex: Query
  /** A further condition on `member`: for a long needle the index also finds names that merely contain all its grams. */
  readonly inName: Query
}

/** The conditions for members whose name contains the needle anywhere. */
export const nameSearch = (needle: string, engine: Database['engine']): NameSearch => {
  const spellings = spellingsOf(foldForSearch(needle))
  return { inIndex: matching(spellings.map(enoughGrams), engine), inName: holding(spellings) }
}

/** A needle written without the space between first and last name is found wherever that space may be. */
const spellingsOf = (folded: string): readonly string[] => {
  const characters = [...folded]
  if (characters.length > maxUnspacedLength || !unspaced.test(folded)) return [folded]
  const places = characters.slice(1).keys()
  return [folded, ...places.map((at) => characters.toSpliced(at + 1, 0, ' ').join(''))]
}

/** In Chinese, Japanese and Korean, first and last name are written without a space. */
const unspaced = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]+$/u

/** Each place for the space is a search of its own, and no such name is longer. */
const maxUnspacedLength = 16

/** Every second gram and the last, so that any two neighbouring characters of the needle occur together in one of them. */
const enoughGrams = (text: string) =>
  runs(text, Math.min([...text].length, maxGramLength)).filter(
    (_, at, { length }) => at % 2 === 0 || at === length - 1,
  )

/** SQLite's full-text index and PostgreSQL's inverted one hold the same words. */
const matching = (spellings: readonly (readonly string[])[], engine: Database['engine']) =>
  engine === 'sqlite'
    ? sql`member_gram MATCH ${spellings.map((grams) => `(${grams.join(' AND ')})`).join(' OR ')}`
    : either(
        spellings.map(
          (grams) => sql`string_to_array(member_gram.grams, ' ') @> string_to_array(${grams.join(' ')}, ' ')`,
        ),
      )

const holding = (spellings: readonly string[]) => {
  if (spellings.every((text) => [...text].length <= maxGramLength)) return empty
  return either(spellings.map((text) => sql`member.searchable_name LIKE ${`%${literal(text)}%`} ESCAPE '!'`))
}

const either = (conditions: readonly Query[]) => sql`(${join(conditions, ' OR ')})`

const literal = (needle: string) => needle.replace(/[!%_]/g, '!$&')

/** Grams are written in hex, so that none of their characters is query syntax. */
const runs = (text: string, length: number): string[] => {
  const characters = [...text]
  const count = Math.max(characters.length - length + 1, 0)
  return Array.from({ length: count }, (_, at) => hexOf(characters.slice(at, at + length).join('')))
}

const hexOf = (text: string) => Buffer.from(text).toString('hex')

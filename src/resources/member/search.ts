import { fold } from '#core/fold.ts'
import type { TextMatch } from '#http/api/query.ts'
import { searchWords } from '#resources/machine/filters.ts'
import type { Database } from '#sql/database.ts'
import { and } from '#sql/listing.ts'
import { containing, empty, escapeLike, join, type Query, raw, sql } from '#sql/query.ts'
import {
  beginningLengths,
  beginningWord,
  genderWord,
  hexesOf,
  type KeyField,
  keyFields,
  maxGramLength,
  maxPart,
  minPart,
  runs,
  wholeWord,
} from './index-words.ts'
import { foldForNames, isNumber, searchedDigits } from './search-text.ts'

/** A search in the index. It finds members with all words of one list of `anyOf`, if their rows meet the condition `check`. */
export interface Search {
  readonly anyOf: readonly (readonly string[])[]
  readonly check: Query
  /** Lists of words like `anyOf`. Members with all words of one of them meet the condition. */
  readonly certain?: readonly (readonly string[])[]
  /** The table or index that the condition reads, if there is one. */
  readonly reads?: 'index' | 'name' | 'text' | 'member' | 'credential'
  /** Selects the numbers of further members. */
  readonly also?: Query
}

/** Members whose name contains the needle anywhere. */
export const nameSearch = (needle: string): Search => {
  const text = foldForNames(needle)
  const spellings = spellingsOf(text)
  const check = holding(spellings)
  const anyOf = spellings.map(enoughGrams)
  return { anyOf, check, ...(check !== empty && { reads: 'name', ...certainly(['w'], text) }) }
}

export const keySearch = (field: KeyField, { text, isBeginning }: TextMatch): Search => {
  const { letter, column, table } = keyFields[field]
  const folded = fold(text)
  if (!isBeginning)
    return { anyOf: [[wholeWord(letter, folded)]], check: sql`${raw(column)} = ${folded}`, reads: table }
  const hexes = hexesOf(folded)
  const length = beginningLengths.findLast((one) => one <= hexes.length) ?? 1
  const anyOf = [[beginningWord(letter, hexes, length)]]
  if (length === hexes.length) return { anyOf, check: empty }
  return { anyOf, check: sql`${raw(column)} LIKE ${`${escapeLike(folded)}%`} ESCAPE '!'`, reads: table }
}

export const genderSearch = (genderCode: string): Search => ({
  anyOf: [[genderWord(genderCode)]],
  check: empty,
})

/** Members who have one of these words. No member has the word `none`. */
export const daySearch = (words: readonly string[]): Search => ({
  anyOf: words.length === 0 ? [['none']] : words.map((word) => [word]),
  check: empty,
})

/** A search for a word of `q`. The condition says the same without the index. */
interface WordSearch extends Search {
  readonly condition: Query
}

/** One search per word: it is in the name, e-mail address or telephone number, or begins the sign id or a unique field. */
export const wordSearches = (q: string, by: SearchContext): readonly WordSearch[] =>
  (isNumber.test(q.normalize('NFKC')) ? [q] : searchWords(q)).map((word) => wordSearch(word, by))

export interface SearchContext {
  readonly engine: Database['engine']
  /** The columns of unique fields. */
  readonly unique: readonly string[]
}

const wordSearch = (word: string, { engine, unique }: SearchContext): WordSearch => {
  const spellings = spellingsOf(foldForNames(word))
  const [text = ''] = spellings
  const isLong = [...text].length >= maxGramLength
  const digits = searchedDigits(word)
  const contacts = [text, ...digits].filter((one) => [...one].length >= maxGramLength)
  const key = keySearch('signId', { text: word, isBeginning: true })
  const anyOf = [...spellings.map(enoughGrams), ...contacts.map(enoughContactGrams), ...key.anyOf]
  const beginning = fold(word)
  const also = either(
    unique.map(
      (column) =>
        sql`member.${raw(column)} >= ${beginning} AND member.${raw(column)} < ${`${beginning}\u{10ffff}`}`,
    ),
  )
  const joined = key.check === empty ? empty : withRows
  const ofKey = sql`SELECT member_gram.rowid FROM member_gram ${joined} WHERE ${and([matching([key], engine), key.check])}`
  const conditionOn = (texts: string, number: string) =>
    either([
      ...spellings.map((one) => containing(isLong ? texts : 'member.searchable_name', one)),
      ...contacts.slice(isLong ? 1 : 0).map((one) => containing(texts, one)),
      sql`${raw(number)} IN (${ofKey})`,
      ...(unique.length > 0 ? [also] : []),
    ])
  const condition = conditionOn('member.searchable_text', 'member.member_number')
  const search = {
    anyOf,
    condition,
    ...(unique.length > 0 && { also: sql`SELECT member_number FROM member WHERE ${also}` }),
  }
  if ([...spellings, ...contacts].every((one) => [...one].length <= maxGramLength) && key.check === empty)
    return { ...search, check: empty }
  if (engine === 'postgres' && isLong && unique.length === 0)
    return { ...search, check: conditionOn(indexedTexts, 'member_gram.rowid'), reads: 'index' }
  const reads = unique.length > 0 ? 'member' : 'text'
  return { ...search, check: condition, reads, ...certainly(['w', 'z'], text) }
}

/** On PostgreSQL the index has the texts, too. An instance of an earlier version leaves them out. */
const indexedTexts =
  'coalesce(member_gram.searchable_text, (SELECT searchable_text FROM member WHERE member_number = member_gram.rowid))'

export const withMember = raw('JOIN member ON member.member_number = member_gram.rowid')
export const withCredential = raw('JOIN credential ON credential.member_id = member.member_id')
const withRows = sql`${withMember} ${withCredential}`

/** Adds the spellings with one space, for names that are written without the space between first and last name. */
const spellingsOf = (folded: string): readonly string[] => {
  const characters = [...folded]
  if (characters.length > maxUnspacedLength || !unspaced.test(folded)) return [folded]
  const places = characters.slice(1).keys()
  return [folded, ...places.map((at) => characters.toSpliced(at + 1, 0, ' ').join(''))]
}

/** In Chinese, Japanese and Korean, first and last name are written without a space. */
const unspaced = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]+$/u

/** Limits the spellings, each of which is a search. No such name is longer. */
const maxUnspacedLength = 16

/** Every second gram and the last, so that each two neighbouring characters of the text are together in one of them. */
const enoughGrams = (text: string) =>
  runs(text, Math.min([...text].length, maxGramLength)).filter(
    (_, at, { length }) => at % 2 === 0 || at === length - 1,
  )

const enoughContactGrams = (text: string) => enoughGrams(text).map((gram) => `y${gram}`)

/** A condition on the index: full-text on SQLite, inverted on PostgreSQL. */
export const matching = (
  searches: readonly Pick<Search, 'anyOf' | 'also'>[],
  engine: Database['engine'],
): Query => {
  const together = searches.filter(({ also }) => !also).map(({ anyOf }) => anyOf)
  return and([
    together.length === 0 ? empty : indexed[engine](together),
    ...searches.map(({ anyOf, also }) =>
      also
        ? sql`member_gram.rowid IN (SELECT rowid FROM member_gram WHERE ${indexed[engine]([anyOf])} UNION ${also})`
        : empty,
    ),
  ])
}

type WordLists = readonly Search['anyOf'][]

const indexed = {
  sqlite: (lists: WordLists) => sql`member_gram MATCH ${expressionOf(lists)}`,
  postgres: (lists: WordLists) => and(lists.map((anyOf) => either(anyOf.map(holdsAll)))),
}

/** Counts on SQLite: those who are certainly found, by words alone, and of the others those who meet the conditions. */
export const countCertain = (searches: readonly Search[], others: Query): Query | undefined => {
  const certain = searches.map((one) => (one.check === empty ? one.anyOf : one.certain))
  if (searches.some(({ also }) => also) || !certain.every((one) => one !== undefined)) return undefined
  const [all, sure] = [searches.map(({ anyOf }) => anyOf), certain].map(expressionOf)
  return sql`
    SELECT (SELECT count(*) FROM member_gram WHERE member_gram MATCH ${sure ?? ''})
      + (SELECT count(*) FROM member_gram ${others} AND member_gram MATCH ${`(${all}) NOT (${sure})`}) AS total`
}

const expressionOf = (lists: WordLists) =>
  lists.map((anyOf) => `(${anyOf.map(allOf).join(' OR ')})`).join(' AND ')

/** The planner must not see the words: if most members had them, it would read all rows instead of the index. */
const holdsAll = (words: readonly string[]) =>
  sql`member_words(member_gram.grams) @> string_to_array((SELECT ${words.join(' ')}), ' ')`

const allOf = (words: readonly string[]) => `(${words.join(' AND ')})`

const holding = (spellings: readonly string[]) => {
  if (spellings.every((text) => [...text].length <= maxGramLength)) return empty
  return either(spellings.map((text) => containing('member.searchable_name', text)))
}

const either = (conditions: readonly Query[]) => sql`(${join(conditions, ' OR ')})`

/** The words of members whom the text certainly finds. There are none if no part can begin with it. */
const certainly = (letters: readonly string[], text: string): Pick<Search, 'certain'> => {
  const hexes = hexesOf(text)
  if (hexes.length < minPart || hexes.length > maxPart || text.includes(' ')) return {}
  return { certain: letters.map((letter) => [beginningWord(letter, hexes, hexes.length)]) }
}

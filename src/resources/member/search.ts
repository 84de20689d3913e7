import { fold } from '#core/fold.ts'
import type { TextMatch } from '#http/api/query.ts'
import { searchWords } from '#resources/machine/filters.ts'
import type { Database } from '#sql/database.ts'
import { and } from '#sql/listing.ts'
import { containing, empty, escapeLike, join, type Query, raw, sql } from '#sql/query.ts'
import {
  genderWord,
  type KeyField,
  keyFields,
  maxGramLength,
  maxPrefixLength,
  minPrefixLength,
  prefixLengths,
  prefixWord,
  sequencesOf,
  toHexCharacters,
  wholeWord,
} from './index-words.ts'
import { foldForNames, searchedDigits, telephonePattern } from './search-text.ts'

/** A search in the word index. It finds the members that have all words of one of the `wordLists` and meet the condition `check`. */
export interface Search {
  readonly wordLists: readonly (readonly string[])[]
  readonly check: Query
  /** Lists of words like `wordLists`. A member that has all words of one of these lists certainly meets the condition. */
  readonly certainWordLists?: readonly (readonly string[])[]
  /** The table or index that the condition reads, if there is one. */
  readonly reads?: 'index' | 'name' | 'text' | 'member' | 'credential'
  /** Selects the numbers of members that are found without the word index. */
  readonly furtherMembers?: Query
}

/** Members whose name contains the needle anywhere. */
export const nameSearch = (needle: string): Search => {
  const text = foldForNames(needle)
  const spellings = spellingsOf(text)
  const check = containsSpelling(spellings)
  const wordLists = spellings.map(coveringGrams)
  return { wordLists, check, ...(check !== empty && { reads: 'name', ...certainWords(['w'], text) }) }
}

export const keySearch = (field: KeyField, { text, isPrefix }: TextMatch): Search => {
  const { letter, column, table } = keyFields[field]
  const folded = fold(text)
  if (!isPrefix)
    return { wordLists: [[wholeWord(letter, folded)]], check: sql`${raw(column)} = ${folded}`, reads: table }
  const hexes = toHexCharacters(folded)
  const length = prefixLengths.findLast((one) => one <= hexes.length) ?? 1
  const wordLists = [[prefixWord(letter, hexes, length)]]
  if (length === hexes.length) return { wordLists, check: empty }
  return { wordLists, check: sql`${raw(column)} LIKE ${`${escapeLike(folded)}%`} ESCAPE '!'`, reads: table }
}

export const genderSearch = (genderCode: string): Search => ({
  wordLists: [[genderWord(genderCode)]],
  check: empty,
})

/** Members who have one of these words. No member has the word `none`. */
export const daySearch = (words: readonly string[]): Search => ({
  wordLists: words.length === 0 ? [['none']] : words.map((word) => [word]),
  check: empty,
})

/** A search for a word of `q`. `fullCondition` finds the same members without the word index. */
interface WordSearch extends Search {
  readonly fullCondition: Query
}

/** One search for each word of `q`. It finds the word in the name, e-mail address or telephone number, or at the beginning of the sign id or of a unique field. */
export const wordSearches = (q: string, by: SearchContext): readonly WordSearch[] =>
  (telephonePattern.test(q.normalize('NFKC')) ? [q] : searchWords(q)).map((word) => wordSearch(word, by))

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
  const key = keySearch('signId', { text: word, isPrefix: true })
  const wordLists = [...spellings.map(coveringGrams), ...contacts.map(coveringContactGrams), ...key.wordLists]
  const beginning = fold(word)
  const hasUniquePrefix = or(
    unique.map(
      (column) =>
        sql`member.${raw(column)} >= ${beginning} AND member.${raw(column)} < ${`${beginning}\u{10ffff}`}`,
    ),
  )
  const keyJoin = key.check === empty ? empty : joinRows
  const membersWithSignId = sql`SELECT member_gram.rowid FROM member_gram ${keyJoin} WHERE ${and([matchesIndex([key], engine), key.check])}`
  const conditionOn = (texts: string, number: string) =>
    or([
      ...spellings.map((one) => containing(isLong ? texts : 'member.searchable_name', one)),
      ...contacts.slice(isLong ? 1 : 0).map((one) => containing(texts, one)),
      sql`${raw(number)} IN (${membersWithSignId})`,
      ...(unique.length > 0 ? [hasUniquePrefix] : []),
    ])
  const condition = conditionOn('member.searchable_text', 'member.member_number')
  const search = {
    wordLists,
    fullCondition: condition,
    ...(unique.length > 0 && {
      furtherMembers: sql`SELECT member_number FROM member WHERE ${hasUniquePrefix}`,
    }),
  }
  if ([...spellings, ...contacts].every((one) => [...one].length <= maxGramLength) && key.check === empty)
    return { ...search, check: empty }
  if (engine === 'postgres' && isLong && unique.length === 0)
    return { ...search, check: conditionOn(indexedTexts, 'member_gram.rowid'), reads: 'index' }
  const reads = unique.length > 0 ? 'member' : 'text'
  return { ...search, check: condition, reads, ...certainWords(['w', 'z'], text) }
}

/** On PostgreSQL the index also contains the texts, except for rows that an instance of an earlier version has written. */
const indexedTexts =
  'coalesce(member_gram.searchable_text, (SELECT searchable_text FROM member WHERE member_number = member_gram.rowid))'

export const joinMember = raw('JOIN member ON member.member_number = member_gram.rowid')
export const joinCredential = raw('JOIN credential ON credential.member_id = member.member_id')
const joinRows = sql`${joinMember} ${joinCredential}`

/** The text, and for names in scripts without spaces all spellings with one space, which may separate the last from the first name. */
const spellingsOf = (folded: string): readonly string[] => {
  const characters = [...folded]
  if (characters.length > maxUnspacedLength || !writtenWithoutSpaces.test(folded)) return [folded]
  const places = characters.slice(1).keys()
  return [folded, ...places.map((at) => characters.toSpliced(at + 1, 0, ' ').join(''))]
}

/** In Chinese, Japanese and Korean, first and last name are written without a space. */
const writtenWithoutSpaces = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]+$/u

/** Limits the number of spellings, because each spelling is a search. No such name is longer. */
const maxUnspacedLength = 16

/** Every second gram, and the last: each pair of neighbouring characters of the text is in one of these grams. */
const coveringGrams = (text: string) =>
  sequencesOf(text, Math.min([...text].length, maxGramLength)).filter(
    (_, at, { length }) => at % 2 === 0 || at === length - 1,
  )

const coveringContactGrams = (text: string) => coveringGrams(text).map((gram) => `y${gram}`)

/** The condition that all these searches match in the word index: full-text on SQLite, inverted (GIN) on PostgreSQL. */
export const matchesIndex = (
  searches: readonly Pick<Search, 'wordLists' | 'furtherMembers'>[],
  engine: Database['engine'],
): Query => {
  const listsOfWordLists = searches
    .filter(({ furtherMembers }) => !furtherMembers)
    .map(({ wordLists }) => wordLists)
  return and([
    listsOfWordLists.length === 0 ? empty : indexCondition[engine](listsOfWordLists),
    ...searches.map(({ wordLists, furtherMembers }) =>
      furtherMembers
        ? sql`member_gram.rowid IN (SELECT rowid FROM member_gram WHERE ${indexCondition[engine]([wordLists])} UNION ${furtherMembers})`
        : empty,
    ),
  ])
}

type WordLists = readonly Search['wordLists'][]

const indexCondition = {
  sqlite: (lists: WordLists) => sql`member_gram MATCH ${expressionOf(lists)}`,
  postgres: (lists: WordLists) => and(lists.map((wordLists) => or(wordLists.map(hasAllWords)))),
}

/** A faster count for SQLite: counts the members that certainly match by their words alone, and checks the conditions only for the others. */
export const countByWords = (searches: readonly Search[], others: Query): Query | undefined => {
  const certain = searches.map((one) => (one.check === empty ? one.wordLists : one.certainWordLists))
  if (searches.some(({ furtherMembers }) => furtherMembers) || !certain.every((one) => one !== undefined))
    return undefined
  const [all, certainExpression] = [searches.map(({ wordLists }) => wordLists), certain].map(expressionOf)
  return sql`
    SELECT (SELECT count(*) FROM member_gram WHERE member_gram MATCH ${certainExpression ?? ''})
      + (SELECT count(*) FROM member_gram ${others} AND member_gram MATCH ${`(${all}) NOT (${certainExpression})`}) AS total`
}

const expressionOf = (lists: WordLists) =>
  lists.map((wordLists) => `(${wordLists.map(allWordsExpression).join(' OR ')})`).join(' AND ')

/** The subquery hides the words from PostgreSQL's planner. If the planner knew that most members have a word, it would read all rows instead of the index. */
const hasAllWords = (words: readonly string[]) =>
  sql`member_words(member_gram.grams) @> string_to_array((SELECT ${words.join(' ')}), ' ')`

const allWordsExpression = (words: readonly string[]) => `(${words.join(' AND ')})`

const containsSpelling = (spellings: readonly string[]) => {
  if (spellings.every((text) => [...text].length <= maxGramLength)) return empty
  return or(spellings.map((text) => containing('member.searchable_name', text)))
}

const or = (conditions: readonly Query[]) => sql`(${join(conditions, ' OR ')})`

/** The words of members that certainly match the text. Empty if the text cannot be an indexed prefix. */
const certainWords = (letters: readonly string[], text: string): Pick<Search, 'certainWordLists'> => {
  const hexes = toHexCharacters(text)
  if (hexes.length < minPrefixLength || hexes.length > maxPrefixLength || text.includes(' ')) return {}
  return { certainWordLists: letters.map((letter) => [prefixWord(letter, hexes, hexes.length)]) }
}

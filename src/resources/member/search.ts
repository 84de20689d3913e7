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
  wholeValueWord,
} from './index-words.ts'
import { foldForNames, queryDigits, telephonePattern } from './search-text.ts'

/** A search in the word index. It finds the members that have all words of one of the `anyOf` and meet the condition `check`. */
export interface Search {
  readonly anyOf: WordLists
  readonly check: Query
  /** A member that has all words of one of these certainly meets the condition. */
  readonly certainAnyOf?: WordLists
  /** The table or index that `check` reads. */
  readonly source?: 'index' | 'name' | 'text' | 'member' | 'credential'
  /** Selects the numbers of members that are found without the word index. */
  readonly furtherMembers?: Query
}

type WordLists = readonly (readonly string[])[]

/** Finds members whose name contains this text. */
export const nameSearch = (name: string): Search => {
  const text = foldForNames(name)
  const spellings = spellingsOf(text)
  const check = containsAnySpelling(spellings)
  const anyOf = spellings.map(coveringGrams)
  return { anyOf, check, ...(check !== empty && { source: 'name', ...certainMatches(['w'], text) }) }
}

export const keySearch = (field: KeyField, { text, isPrefix }: TextMatch): Search => {
  const { letter, column, table } = keyFields[field]
  const folded = fold(text)
  if (!isPrefix)
    return {
      anyOf: [[wholeValueWord(letter, folded)]],
      check: sql`${raw(column)} = ${folded}`,
      source: table,
    }
  const hexes = toHexCharacters(folded)
  const length = prefixLengths.findLast((one) => one <= hexes.length) ?? 1
  const anyOf = [[prefixWord(letter, hexes, length)]]
  if (length === hexes.length) return { anyOf, check: empty }
  return { anyOf, check: sql`${raw(column)} LIKE ${`${escapeLike(folded)}%`} ESCAPE '!'`, source: table }
}

export const genderSearch = (genderCode: string): Search => ({
  anyOf: [[genderWord(genderCode)]],
  check: empty,
})

/** Finds members who have one of these words. No member has the word `none`. */
export const daySearch = (words: readonly string[]): Search => ({
  anyOf: words.length === 0 ? [['none']] : words.map((word) => [word]),
  check: empty,
})

/** A search for a word of `q`. `fullCondition` finds the same members without the word index. */
interface WordSearch extends Search {
  readonly fullCondition: Query
}

/** One search for each word of `q`. It finds the word in the name, e-mail address or telephone number, or at the beginning of the sign id or of a unique field. */
export const wordSearches = (q: string, context: SearchContext): readonly WordSearch[] =>
  (telephonePattern.test(q.normalize('NFKC')) ? [q] : searchWords(q)).map((word) => wordSearch(word, context))

export interface SearchContext {
  readonly engine: Database['engine']
  readonly uniqueColumns: readonly string[]
}

const wordSearch = (word: string, { engine, uniqueColumns }: SearchContext): WordSearch => {
  const spellings = spellingsOf(foldForNames(word))
  const [text = ''] = spellings
  // Shorter words are not searched in the e-mail address and the telephone number.
  const isLong = (one: string) => [...one].length >= maxGramLength
  const digits = queryDigits(word).filter(isLong)
  const contacts = isLong(text) ? [text, ...digits] : digits
  const signId = keySearch('signId', { text: word, isPrefix: true })
  const anyOf = [...spellings.map(coveringGrams), ...contacts.map(coveringContactGrams), ...signId.anyOf]
  const folded = fold(word)
  const matchesUniqueField = or(
    uniqueColumns
      .map((name) => raw(`member.${name}`))
      .map((column) => sql`${column} >= ${folded} AND ${column} < ${`${folded}\u{10ffff}`}`),
  )
  const signIdJoin = signId.check === empty ? empty : sql`${joinMember} ${joinCredential}`
  const membersWithSignId = sql`SELECT member_gram.rowid FROM member_gram ${signIdJoin} WHERE ${and([matchesIndex([signId], engine), signId.check])}`
  const conditionOn = (textColumn: string, numberColumn: string) =>
    or([
      ...spellings.map((one) => containing(isLong(text) ? textColumn : 'member.searchable_name', one)),
      ...digits.map((one) => containing(textColumn, one)),
      sql`${raw(numberColumn)} IN (${membersWithSignId})`,
      ...(uniqueColumns.length > 0 ? [matchesUniqueField] : []),
    ])
  const fullCondition = conditionOn('member.searchable_text', 'member.member_number')
  const search = {
    anyOf,
    fullCondition,
    ...(uniqueColumns.length > 0 && {
      furtherMembers: sql`SELECT member_number FROM member WHERE ${matchesUniqueField}`,
    }),
  }
  // The index alone finds short texts.
  if ([...spellings, ...contacts].every((one) => [...one].length <= maxGramLength) && signId.check === empty)
    return { ...search, check: empty }
  if (engine === 'postgres' && isLong(text) && uniqueColumns.length === 0)
    return { ...search, check: conditionOn(indexedTexts, 'member_gram.rowid'), source: 'index' }
  const source = uniqueColumns.length > 0 ? 'member' : 'text'
  return { ...search, check: fullCondition, source, ...certainMatches(['w', 'z'], text) }
}

/** On PostgreSQL the index also contains the texts, except for rows that an instance of an earlier version has written. */
const indexedTexts =
  'coalesce(member_gram.searchable_text, (SELECT searchable_text FROM member WHERE member_number = member_gram.rowid))'

export const joinMember = raw('JOIN member ON member.member_number = member_gram.rowid')
export const joinCredential = raw('JOIN credential ON credential.member_id = member.member_id')

/** The text, and in scripts without spaces also the text with a space at each place, where the first name may begin. */
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

/** The condition that all these searches match the word index, which is full-text on SQLite and inverted (GIN) on PostgreSQL. */
export const matchesIndex = (
  searches: readonly Pick<Search, 'anyOf' | 'furtherMembers'>[],
  engine: Database['engine'],
): Query => {
  const onlyInIndex = searches.filter(({ furtherMembers }) => !furtherMembers).map(({ anyOf }) => anyOf)
  return and([
    onlyInIndex.length === 0 ? empty : indexCondition[engine](onlyInIndex),
    ...searches.map(({ anyOf, furtherMembers }) =>
      furtherMembers
        ? sql`member_gram.rowid IN (SELECT rowid FROM member_gram WHERE ${indexCondition[engine]([anyOf])} UNION ${furtherMembers})`
        : empty,
    ),
  ])
}

const indexCondition = {
  sqlite: (searches: readonly WordLists[]) => sql`member_gram MATCH ${expressionOf(searches)}`,
  postgres: (searches: readonly WordLists[]) => and(searches.map((anyOf) => or(anyOf.map(hasAllWords)))),
}

/** Counts on SQLite. Members that certainly match are counted by their words alone; only the others are checked, by `joinsAndChecks`. */
export const countByWords = (searches: readonly Search[], joinsAndChecks: Query): Query | undefined => {
  const certain = searches.map((one) => (one.check === empty ? one.anyOf : one.certainAnyOf))
  if (searches.some(({ furtherMembers }) => furtherMembers) || !certain.every((one) => one !== undefined))
    return undefined
  const [all = '', certainOnes = ''] = [searches.map(({ anyOf }) => anyOf), certain].map(expressionOf)
  return sql`
    SELECT (SELECT count(*) FROM member_gram WHERE member_gram MATCH ${certainOnes})
      + (SELECT count(*) FROM member_gram ${joinsAndChecks} AND member_gram MATCH ${`(${all}) NOT (${certainOnes})`}) AS total`
}

const expressionOf = (searches: readonly WordLists[]) =>
  searches.map((anyOf) => `(${anyOf.map(allWordsExpression).join(' OR ')})`).join(' AND ')

/** The subquery hides the words from PostgreSQL's planner, which would read all rows if it knew that most members have a word. */
const hasAllWords = (words: readonly string[]) =>
  sql`member_words(member_gram.grams) @> string_to_array((SELECT ${words.join(' ')}), ' ')`

const allWordsExpression = (words: readonly string[]) => `(${words.join(' AND ')})`

const containsAnySpelling = (spellings: readonly string[]) => {
  if (spellings.every((text) => [...text].length <= maxGramLength)) return empty
  return or(spellings.map((text) => containing('member.searchable_name', text)))
}

const or = (conditions: readonly Query[]) => sql`(${join(conditions, ' OR ')})`

/** Empty if the text cannot be an indexed prefix. */
const certainMatches = (letters: readonly string[], text: string): Pick<Search, 'certainAnyOf'> => {
  const hexes = toHexCharacters(text)
  if (hexes.length < minPrefixLength || hexes.length > maxPrefixLength || text.includes(' ')) return {}
  return { certainAnyOf: letters.map((letter) => [prefixWord(letter, hexes, hexes.length)]) }
}

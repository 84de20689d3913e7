import { hash } from 'node:crypto'
import { fold } from '#core/fold.ts'
import type { TextMatch } from '#http/api/query.ts'
import { searchWords } from '#resources/machine/filters.ts'
import type { Database } from '#sql/database.ts'
import { and } from '#sql/listing.ts'
import { containing, empty, join, literal, type Query, raw, sql } from '#sql/query.ts'
import type { Member } from './schema.ts'
import {
  foldForNames,
  isNumber,
  type SearchableFields,
  searchableName,
  searchableText,
  searchedDigits,
} from './search-text.ts'

/** The length of the longest gram. The index alone answers a search for a text of this length or less. */
const maxGramLength = 3

export interface Findable extends SearchableFields, Pick<Member, 'genderCode'> {
  readonly credential: Pick<Member['credential'], 'signId'>
}

/** The words of a member in the index. */
export const wordsOf = (member: Findable): string => {
  const name = searchableName(member)
  const elsewhere = new Set(contactGrams(searchableText(member).slice(name.length)))
  const keys = { ...member, signId: member.credential.signId }
  const beginnings = Object.entries(keyFields).flatMap(([field, { letter }]) =>
    keyWords(letter, fold(keys[field as KeyField] ?? '')),
  )
  return [gramsOf(name), ...beginnings, ...elsewhere, genderWord(member.genderCode)].join(' ')
}

/** Grams of the e-mail address and the telephone number. The y, which is no hexadecimal digit, tells them from grams of the name. */
const contactGrams = (text: string) => runs(text, maxGramLength).map((gram) => `y${gram}`)

/** All grams of a text: its sequences of one, two and three characters, as words for the index. */
export const gramsOf = (text: string): string => {
  const grams = new Set<string>()
  for (let length = 1; length <= maxGramLength; length++)
    for (const gram of runs(text, length)) grams.add(gram)
  return [...grams].join(' ')
}

/** The fields that are found by their whole value or its beginning, with the first letter of their words and the folded column. */
const keyFields = {
  emailAddress: { letter: 'm', column: 'member.email_folded', table: 'member' },
  telephoneNumber: { letter: 't', column: 'member.telephone_folded', table: 'member' },
  signId: { letter: 's', column: 'credential.sign_id_folded', table: 'credential' },
} as const

export type KeyField = keyof typeof keyFields

/** The lengths of indexed beginnings. For another length, the next shorter beginning finds the candidates to compare. */
const beginningLengths = [1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 16]

const keyWords = (letter: string, folded: string): readonly string[] => {
  if (folded === '') return []
  const characters = [...folded]
  const lengths = beginningLengths.filter((length) => length <= characters.length)
  return [...lengths.map((length) => beginningWord(letter, characters, length)), wholeWord(letter, folded)]
}

const beginningWord = (letter: string, characters: readonly string[], length: number) =>
  letter + hexOf(characters.slice(0, length).join(''))

/** The x, which is no hexadecimal digit, tells a whole value from a beginning. */
const wholeWord = (letter: string, folded: string) => `${letter}x${hash('sha256', folded).slice(0, 16)}`

const genderWord = (genderCode: string) => `g${genderCode}`

/** A search in the index: finds members with all words of one of these lists, if their rows meet the condition `check`. */
export interface Search {
  readonly anyOf: readonly (readonly string[])[]
  readonly check: Query
  /** The table or index that the condition reads, if there is one. */
  readonly reads?: 'name' | 'text' | 'member' | 'credential'
  /** Selects the numbers of further members. */
  readonly also?: Query
}

/** Members whose name contains the needle anywhere. */
export const nameSearch = (needle: string): Search => {
  const spellings = spellingsOf(foldForNames(needle))
  const check = holding(spellings)
  return { anyOf: spellings.map(enoughGrams), check, ...(check !== empty && { reads: 'name' }) }
}

export const keySearch = (field: KeyField, { text, isBeginning }: TextMatch): Search => {
  const { letter, column, table } = keyFields[field]
  const folded = fold(text)
  if (!isBeginning)
    return { anyOf: [[wholeWord(letter, folded)]], check: sql`${raw(column)} = ${folded}`, reads: table }
  const characters = [...folded]
  const length = beginningLengths.findLast((one) => one <= characters.length) ?? 1
  const anyOf = [[beginningWord(letter, characters, length)]]
  if (length === characters.length) return { anyOf, check: empty }
  return { anyOf, check: sql`${raw(column)} LIKE ${`${literal(folded)}%`} ESCAPE '!'`, reads: table }
}

export const genderSearch = (genderCode: string): Search => ({
  anyOf: [[genderWord(genderCode)]],
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
  const condition = either([
    ...spellings.map((one) => containing(isLong ? 'member.searchable_text' : 'member.searchable_name', one)),
    ...contacts.slice(isLong ? 1 : 0).map((one) => containing('member.searchable_text', one)),
    sql`member.member_number IN (${ofKey})`,
    ...(unique.length > 0 ? [also] : []),
  ])
  const isExact =
    [...spellings, ...contacts].every((one) => [...one].length <= maxGramLength) && key.check === empty
  return {
    anyOf,
    condition,
    ...(isExact ? { check: empty } : { check: condition, reads: unique.length > 0 ? 'member' : 'text' }),
    ...(unique.length > 0 && { also: sql`SELECT member_number FROM member WHERE ${also}` }),
  }
}

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

/** A condition on the index: SQLite's full-text index and PostgreSQL's inverted one hold the same words. */
export const matching = (
  searches: readonly Pick<Search, 'anyOf' | 'also'>[],
  engine: Database['engine'],
): Query => {
  const [together, alone] = [
    searches.filter(({ also }) => !also && engine === 'sqlite'),
    searches.filter(({ also }) => also || engine === 'postgres'),
  ]
  return and([
    together.length === 0 ? empty : matchedBy(together.map(({ anyOf }) => anyOf)),
    ...alone.map(({ anyOf, also }) =>
      anyIn(engine === 'sqlite' ? [matchedBy([anyOf])] : anyOf.map(holdsAll), also),
    ),
  ])
}

const matchedBy = (lists: readonly Search['anyOf'][]) =>
  sql`member_gram MATCH ${lists.map((anyOf) => `(${anyOf.map(allOf).join(' OR ')})`).join(' AND ')}`

/** Looks up each alternative separately, because PostgreSQL reads every row for a condition with several of them. */
const anyIn = (alternatives: readonly Query[], also?: Query): Query => {
  const [only, ...others] = alternatives
  if (only && others.length === 0 && !also) return only
  const found = alternatives.map((one) => sql`SELECT member_gram.rowid FROM member_gram WHERE ${one}`)
  return sql`member_gram.rowid IN (${join(also ? [...found, also] : found, ' UNION ')})`
}

const holdsAll = (words: readonly string[]) =>
  sql`string_to_array(member_gram.grams, ' ') @> string_to_array(${words.join(' ')}, ' ')`

const allOf = (words: readonly string[]) => `(${words.join(' AND ')})`

const holding = (spellings: readonly string[]) => {
  if (spellings.every((text) => [...text].length <= maxGramLength)) return empty
  return either(spellings.map((text) => containing('member.searchable_name', text)))
}

const either = (conditions: readonly Query[]) => sql`(${join(conditions, ' OR ')})`

/** All sequences of this length, in hex, so that none of their characters is query syntax. */
const runs = (text: string, length: number): string[] => {
  const characters = [...text]
  const count = Math.max(characters.length - length + 1, 0)
  return Array.from({ length: count }, (_, at) => hexOf(characters.slice(at, at + length).join('')))
}

const hexOf = (text: string) => Buffer.from(text).toString('hex')

import { hash } from 'node:crypto'
import { fold } from '#core/fold.ts'
import { dayWords } from './day-words.ts'
import type { Member } from './schema.ts'
import { nameWordsAndDomain, type SearchableFields, searchableName, searchableText } from './search-text.ts'

/** A gram is a sequence of one to three characters. The index alone answers a search for a text of at most this length. */
export const maxGramLength = 3

export interface SearchableMember extends SearchableFields, Pick<Member, 'genderCode' | 'dateOfBirth'> {
  readonly credential: Pick<Member['credential'], 'signId'>
}

/** The words of a member in the search index of both engines. */
export const indexWordsOf = (member: SearchableMember): string => {
  const name = searchableName(member)
  const contactWords = new Set(contactGrams(searchableText(member).slice(name.length)))
  const values = { ...member, signId: member.credential.signId }
  const keyFieldWords = Object.entries(keyFields).flatMap(([field, { letter }]) =>
    keyWords(letter, fold(values[field as KeyField] ?? '')),
  )
  return [gramsOf(name), ...keyFieldWords, ...contactWords, genderWord(member.genderCode)].join(' ')
}

/** The words that only SQLite's index contains, because on SQLite counting words is faster than reading members. */
export const sqliteWordsOf = (member: SearchableMember): string =>
  [...prefixWords(member), ...dayWords(member.dateOfBirth)].join(' ')

/** Prefixes of these lengths are indexed for each word of the name and the e-mail domain. A match of one needs no comparison of the text. */
export const [minPrefixLength, maxPrefixLength] = [4, 12]

const prefixWords = (member: SearchableMember): readonly string[] => {
  const { nameWords, domain } = nameWordsAndDomain(member)
  return [...[...nameWords].flatMap((one) => prefixWordsOf('w', one)), ...prefixWordsOf('z', domain)]
}

const prefixWordsOf = (letter: string, text: string) => {
  const hexes = toHexCharacters(text)
  const count = Math.max(0, Math.min(hexes.length, maxPrefixLength) - minPrefixLength + 1)
  return Array.from({ length: count }, (_, at) => prefixWord(letter, hexes, minPrefixLength + at))
}

/** Grams of the e-mail address and the telephone number. Their y is not a hexadecimal digit, so they differ from grams of the name. */
const contactGrams = (text: string) => sequencesOf(text, maxGramLength).map((gram) => `y${gram}`)

/** All grams of a text, as words of the index. */
export const gramsOf = (text: string): string => {
  const grams = new Set<string>()
  const hexes = toHexCharacters(text)
  for (let length = 1; length <= maxGramLength; length++)
    for (const gram of sequencesOfHexes(hexes, length)) grams.add(gram)
  return [...grams].join(' ')
}

/** The fields that are searched by their whole value or a prefix: the first letter of their words, and their folded column. */
export const keyFields = {
  emailAddress: { letter: 'm', column: 'member.email_folded', table: 'member' },
  telephoneNumber: { letter: 't', column: 'member.telephone_folded', table: 'member' },
  signId: { letter: 's', column: 'credential.sign_id_folded', table: 'credential' },
} as const

export type KeyField = keyof typeof keyFields

/** The lengths of their indexed prefixes. For a text of another length, the next shorter prefix finds the candidates to compare. */
export const prefixLengths = [1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 16]

const keyWords = (letter: string, folded: string): readonly string[] => {
  if (folded === '') return []
  const hexes = toHexCharacters(folded)
  const lengths = prefixLengths.filter((length) => length <= hexes.length)
  return [...lengths.map((length) => prefixWord(letter, hexes, length)), wholeValueWord(letter, folded)]
}

export const prefixWord = (letter: string, hexes: readonly string[], length: number) =>
  letter + hexes.slice(0, length).join('')

/** The word for a whole value. Its x is not a hexadecimal digit, so it differs from all words for prefixes. */
export const wholeValueWord = (letter: string, folded: string) =>
  `${letter}x${hash('sha256', folded).slice(0, 16)}`

export const genderWord = (genderCode: string) => `g${genderCode}`

/** All sequences of this many characters, in hexadecimal. */
export const sequencesOf = (text: string, length: number): string[] =>
  sequencesOfHexes(toHexCharacters(text), length)

const sequencesOfHexes = (hexes: readonly string[], length: number) =>
  Array.from({ length: Math.max(hexes.length - length + 1, 0) }, (_, at) =>
    hexes.slice(at, at + length).join(''),
  )

/** The characters of a text in hexadecimal, so that none of them is query syntax. */
export const toHexCharacters = (text: string): readonly string[] =>
  Array.from(text, (one) => asciiHex[one.charCodeAt(0)] ?? Buffer.from(one).toString('hex'))

const asciiHex = Array.from({ length: 128 }, (_, code) => code.toString(16).padStart(2, '0'))

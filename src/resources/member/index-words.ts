import { hash } from 'node:crypto'
import { fold } from '#core/fold.ts'
import { dayWords } from './day-words.ts'
import type { Member } from './schema.ts'
import { type SearchableFields, searchableName, searchableParts, searchableText } from './search-text.ts'

/** The length of the longest gram. The index alone answers a search for a text of this length or less. */
export const maxGramLength = 3

export interface Findable extends SearchableFields, Pick<Member, 'genderCode' | 'dateOfBirth'> {
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

/** The words that only SQLite's index has, which counts many of them faster than it looks at members. */
export const furtherWordsOf = (member: Findable): string =>
  [...partWords(member), ...dayWords(member.dateOfBirth)].join(' ')

/** Each word of a name, and the domain, is indexed by its beginnings of 4 to 12 characters. They need no comparison of the text. */
export const [minPart, maxPart] = [4, 12]

const partWords = (member: Findable): readonly string[] => {
  const { names, domain } = searchableParts(member)
  return [...[...names].flatMap((one) => partBeginnings('w', one)), ...partBeginnings('z', domain)]
}

const partBeginnings = (letter: string, part: string) => {
  const hexes = hexesOf(part)
  const count = Math.max(0, Math.min(hexes.length, maxPart) - minPart + 1)
  return Array.from({ length: count }, (_, at) => beginningWord(letter, hexes, minPart + at))
}

/** Grams of the e-mail address and the telephone number. The y, which is no hexadecimal digit, tells them from grams of the name. */
const contactGrams = (text: string) => runs(text, maxGramLength).map((gram) => `y${gram}`)

/** All grams of a text: its sequences of one, two and three characters, as words for the index. */
export const gramsOf = (text: string): string => {
  const grams = new Set<string>()
  const hexes = hexesOf(text)
  for (let length = 1; length <= maxGramLength; length++)
    for (const gram of runsOf(hexes, length)) grams.add(gram)
  return [...grams].join(' ')
}

/** The fields that are found by their whole value or its beginning, with the first letter of their words and the folded column. */
export const keyFields = {
  emailAddress: { letter: 'm', column: 'member.email_folded', table: 'member' },
  telephoneNumber: { letter: 't', column: 'member.telephone_folded', table: 'member' },
  signId: { letter: 's', column: 'credential.sign_id_folded', table: 'credential' },
} as const

export type KeyField = keyof typeof keyFields

/** The lengths of indexed beginnings. For another length, the next shorter beginning finds the candidates to compare. */
export const beginningLengths = [1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 16]

const keyWords = (letter: string, folded: string): readonly string[] => {
  if (folded === '') return []
  const hexes = hexesOf(folded)
  const lengths = beginningLengths.filter((length) => length <= hexes.length)
  return [...lengths.map((length) => beginningWord(letter, hexes, length)), wholeWord(letter, folded)]
}

export const beginningWord = (letter: string, hexes: readonly string[], length: number) =>
  letter + hexes.slice(0, length).join('')

/** The x, which is no hexadecimal digit, tells a whole value from a beginning. */
export const wholeWord = (letter: string, folded: string) =>
  `${letter}x${hash('sha256', folded).slice(0, 16)}`

export const genderWord = (genderCode: string) => `g${genderCode}`

/** All sequences of this length, in hex. */
export const runs = (text: string, length: number): string[] => runsOf(hexesOf(text), length)

const runsOf = (hexes: readonly string[], length: number) =>
  Array.from({ length: Math.max(hexes.length - length + 1, 0) }, (_, at) =>
    hexes.slice(at, at + length).join(''),
  )

/** The characters of a text in hex, so that none of them is query syntax. */
export const hexesOf = (text: string): readonly string[] =>
  Array.from(text, (one) => asciiHex[one.charCodeAt(0)] ?? Buffer.from(one).toString('hex'))

const asciiHex = Array.from({ length: 128 }, (_, code) => code.toString(16).padStart(2, '0'))

import { fold } from '#core/fold.ts'
import type { Database } from '#sql/database.ts'
import { empty, type Query, sql } from '#sql/query.ts'

/** Between the two orders of a name: no name can hold it, so no needle finds it. */
const separator = '\u001f'

/** Needles up to so many characters are one gram: the index alone finds them. */
const longestGram = 3

/** A name as it is searched: both orders, without regard to case and width. */
export const searchableName = (firstName: string, lastName: string) =>
  fold(`${firstName} ${lastName}${separator}${lastName} ${firstName}`)

/** Every run of one, two and three characters of a text, as words for an index. */
export const gramsOf = (text: string): string => {
  const grams = new Set<string>()
  for (let length = 1; length <= longestGram; length++) for (const gram of runs(text, length)) grams.add(gram)
  return [...grams].join(' ')
}

export interface NameSearch {
  /** A condition on `member_gram`. */
  readonly inIndex: Query
  /** A condition on `member`, where the index finds more than it should. */
  readonly inName: Query
}

/** How members are found whose name holds the needle anywhere. */
export const nameSearch = (needle: string, engine: Database['engine']): NameSearch => {
  const folded = fold(needle)
  const length = Math.min([...folded].length, longestGram)
  return { inIndex: matching(enough(runs(folded, length)), engine), inName: holding(folded) }
}

/** Every second one and the last: two neighbours in the needle always stand together in one of them. */
const enough = (grams: readonly string[]) => grams.filter((_, at) => at % 2 === 0 || at === grams.length - 1)

/** SQLite's full-text index and PostgreSQL's inverted one hold the same words. */
const matching = (grams: readonly string[], engine: Database['engine']) =>
  engine === 'sqlite'
    ? sql`member_gram MATCH ${grams.join(' AND ')}`
    : sql`string_to_array(member_gram.grams, ' ') @> string_to_array(${grams.join(' ')}, ' ')`

const holding = (folded: string) => {
  if ([...folded].length <= longestGram) return empty
  return sql`member.searchable_name LIKE ${`%${literal(folded)}%`} ESCAPE '!'`
}

const literal = (needle: string) => needle.replace(/[!%_]/g, '!$&')

/** Characters have no meaning for an index when they are written as numbers. */
const runs = (text: string, length: number): string[] => {
  const characters = [...text]
  const count = Math.max(characters.length - length + 1, 0)
  return Array.from({ length: count }, (_, at) => hexOf(characters.slice(at, at + length).join('')))
}

const hexOf = (text: string) => Buffer.from(text).toString('hex')

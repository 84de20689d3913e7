import { fold } from '#core/fold.ts'
import type { Database } from '#sql/database.ts'
import { empty, type Query, sql } from '#sql/query.ts'

/** Stands between the two orders of a name. No name and no search text can contain it. */
const separator = '\u001f'

/** A search text of up to this many characters is a single gram, which the index alone answers. */
const longestGram = 3

/** The name as it is searched: in both orders, folded so that case and width do not matter. */
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
  /** A further condition on `member`: for a long needle the index also finds names that only have its grams. */
  readonly inName: Query
}

/** The conditions for members whose name contains the needle anywhere. */
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

/** Grams are written in hex, so that none of their characters is query syntax. */
const runs = (text: string, length: number): string[] => {
  const characters = [...text]
  const count = Math.max(characters.length - length + 1, 0)
  return Array.from({ length: count }, (_, at) => hexOf(characters.slice(at, at + length).join('')))
}

const hexOf = (text: string) => Buffer.from(text).toString('hex')

import { fold } from '#core/fold.ts'
import { type Query, sql } from '#sql/query.ts'

/** Between the two orders of a name: no name can hold it, so no needle finds it. */
const separator = '\u001f'

/** A name as it is searched: both orders, without regard to case and width. */
export const searchableName = (firstName: string, lastName: string) =>
  fold(`${firstName} ${lastName}${separator}${lastName} ${firstName}`)

/** Members whose name holds the needle anywhere. */
export const nameHolds = (needle: string): Query =>
  sql`member.searchable_name LIKE ${`%${literal(fold(needle))}%`} ESCAPE '!'`

const literal = (needle: string) => needle.replace(/[!%_]/g, '!$&')

import { isShowable, parseInstant } from '#core/formats.ts'
import { isId, type NewId } from '#core/id.ts'
import { bodyUnreadable } from '#core/problem.ts'
import type { Database } from '#sql/database.ts'
import type { Query } from '#sql/query.ts'
import type { Unique } from './resource.ts'

/** The instant that a field of a file states, if any. */
export const importedInstant = (target: string, text: string | null): number | undefined => {
  if (text === null) return undefined
  const found = parseInstant(text, 'UTC')
  if (found === undefined || !isShowable(found)) throw wrongType(target, 'date-time')
  return found
}

/** The id that a record in a file has, or a new one. */
export const importedId = (target: string, id: string | null, newId: NewId): string => {
  if (id === null) return newId()
  if (!isId(id)) throw wrongType(target, 'uuid')
  return id
}

/** The id in this field, which only one record may have. */
export const uniqueId = (by: string, value: string, isTaken: Unique['isTaken']): Unique => ({
  by,
  value,
  isTaken,
  refusal: { code: 'e.xx.fw.8002', text: `Another record has the same ${by}.`, target: by },
})

export const isFound = async (db: Database, query: Query) => (await db.find(query, asFound)) ?? false

const asFound = () => true

const wrongType = (target: string, expected: string) =>
  bodyUnreadable({ code: 'WrongType', target, args: { expected } })

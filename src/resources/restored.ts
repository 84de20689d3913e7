import { conflict } from '#core/problem.ts'
import { type Fields, startingOf } from '#core/schema.ts'
import type { Changes } from '#http/api/change.ts'

/** A deleted record to be written again. */
interface Deleted {
  readonly lastModifiedAt: number
  readonly version: number
}

interface Sought {
  readonly room: string
  readonly id: string
  readonly fields: Fields
  find(id: string): Promise<unknown>
}

/**
 * Reads a deleted record from the log of changes, in its next version. Refuses one that exists. `find` throws for a record
 * that is unknown, was erased, or whose changes have been swept.
 */
export const deletedRecord = async <T extends Deleted>(
  changes: Pick<Changes, 'history'>,
  { room, id, fields, find }: Sought,
): Promise<T> => {
  const [last, before] = await changes.history(id, undefined, 1)
  if (last?.change.type !== `${room}.deleted` || !before?.value) {
    await find(id)
    throw conflict(undefined, [{ code: 'Unique', target: `${room}Id`, args: { what: room } }])
  }
  // Fields may have been added since.
  const lacking = Object.entries(fields).map(([field, schema]) => [field, startingOf(schema) ?? null])
  const { altered: _, ...value } = before.value as T & { readonly altered?: object }
  return { ...Object.fromEntries(lacking), ...(value as T), version: last.change.version + 1 }
}

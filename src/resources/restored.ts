import { conflict } from '#core/problem.ts'
import { type Fields, startingOf } from '#core/schema.ts'
import type { Changes } from '#http/api/change.ts'

/** A deleted record to be written again. */
interface Deleted {
  readonly lastModifiedAt: number
  readonly version: number
}

/**
 * Reads a deleted record from the log of changes, in its next version. Undefined if it is not deleted, was erased,
 * or its changes have been swept.
 */
export const deletedRecord = async <T extends Deleted>(
  changes: Pick<Changes, 'history'>,
  { room, id, fields }: { readonly room: string; readonly id: string; readonly fields: Fields },
): Promise<T | undefined> => {
  const [last, before] = await changes.history(id, undefined, 1)
  if (last?.change.type !== `${room}.deleted` || !before?.value) return undefined
  // Fields may have been added since.
  const lacking = Object.entries(fields).map(([field, schema]) => [field, startingOf(schema) ?? null])
  const { altered: _, ...value } = before.value as T & { readonly altered?: object }
  return { ...Object.fromEntries(lacking), ...(value as T), version: last.change.version + 1 }
}

/** Refuses to restore a record that exists. */
export const notDeleted = (room: string) =>
  conflict(undefined, [{ code: 'Unique', target: `${room}Id`, args: { what: room } }])

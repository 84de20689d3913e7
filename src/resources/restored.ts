import { conflict } from '#core/problem.ts'
import { type Fields, startingValueOf } from '#core/schema.ts'
import type { Changes } from '#http/api/change.ts'

interface DeletedRecord {
  readonly lastModifiedAt: number
  readonly version: number
}

interface RestoreRequest {
  readonly resource: string
  readonly id: string
  readonly fields: Fields
  find(id: string): Promise<unknown>
}

/**
 * Reads a deleted record from the log of changes, and gives it its next version. If its last change is no deletion, `find` throws if
 * there is no record; otherwise its id is in use.
 */
export const readDeletedRecord = async <T extends DeletedRecord>(
  changes: Pick<Changes, 'historyOf'>,
  { resource, id, fields, find }: RestoreRequest,
): Promise<T> => {
  const [last, before] = await changes.historyOf(id, undefined, 1)
  if (last?.change.type !== `${resource}.deleted` || !before?.value) {
    await find(id)
    throw conflict(undefined, [{ code: 'Unique', target: `${resource}Id`, args: { what: resource } }])
  }
  // Fields may have been added since.
  const startingValues = Object.entries(fields).map(([field, schema]) => [
    field,
    startingValueOf(schema) ?? null,
  ])
  const { altered: _, ...value } = before.value as T & { readonly altered?: object }
  return { ...Object.fromEntries(startingValues), ...(value as T), version: last.change.version + 1 }
}

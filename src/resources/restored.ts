import { canGrant } from '#access/policy.ts'
import { conflict } from '#core/problem.ts'
import { type Fields, isNullable, startingValueOf } from '#core/schema.ts'
import type { Changes } from '#http/api/change.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Declaration } from './declaration.ts'
import { pluralOf } from './machine/labels.ts'
import type { ResourceContext } from './resource.ts'

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
  const [last, before] = await changes.historyOf(resource, id, { size: 1 })
  if (last?.change.type !== `${resource}.deleted` || !before?.value) {
    await find(id)
    throw idInUse(resource)
  }
  // Fields may have been added since.
  const startingValues = Object.entries(fields).map(([field, schema]) => [
    field,
    startingValueOf(schema) ?? null,
  ])
  const { altered: _, ...value } = before.value as T & { readonly altered?: object }
  const record = { ...Object.fromEntries(startingValues), ...(value as T), version: last.change.version + 1 }
  // A migration may have renamed a field since.
  const lacking = Object.keys(fields).filter(
    (name) => record[name] === null && !isNullable(fields[name] ?? {}),
  )
  if (lacking.length > 0)
    throw conflict(
      undefined,
      lacking.map((target) => ({ code: 'NotNull', target })),
    )
  return record
}

interface NewRecordContext extends Pick<ResourceContext, 'changes' | 'policy'> {
  readonly declaration: Pick<Declaration, 'name' | 'plural'>
}

interface NewRecord {
  /** Undefined unless the caller has chosen it. */
  readonly id: string | undefined
  readonly principal: Principal | undefined
}

/**
 * The first version of a new record. If a deleted record had its id, the history of that record becomes its own, so the caller needs
 * the right to restore.
 */
export const firstVersionOf = async (
  { declaration, changes, policy }: NewRecordContext,
  { id, principal }: NewRecord,
): Promise<number> => {
  const [last] = id === undefined ? [] : await changes.historyOf(declaration.name, id, { size: 0 })
  if (!last) return 1
  if (!principal || !canGrant(principal, `${pluralOf(declaration)}:restore`, policy))
    throw idInUse(declaration.name)
  return last.change.version + 1
}

const idInUse = (resource: string) =>
  conflict(undefined, [{ code: 'Unique', target: `${resource}Id`, args: { what: resource } }])

import { conflict } from '#core/problem.ts'
import { isNullable } from '#core/schema.ts'
import type { Actor } from '#http/api/change.ts'
import type { MakeLogEntry } from '#ledger/change-log.ts'
import type { References, Resource } from '#resources/resource.ts'
import type { Row, Transaction } from '#sql/database.ts'
import { statement } from '#sql/query.ts'
import { quoted, toSnakeCase } from '#sql/table.ts'

/** The maximum number of records that are deleted together, in one transaction. */
const maxCascade = 500

interface Referrer {
  readonly resource: string
  readonly field: string
  readonly table: string
  readonly key: string
  readonly isCascading: boolean
  readonly isNullable: boolean
}

/** For programs without a running service. */
export const noReferences: References = { tableOf: () => undefined, deleteReferrers: async () => undefined }

export const referencesAmong = (resources: readonly Resource[], makeLogEntry: MakeLogEntry): References => {
  const byTarget = Map.groupBy(resources.flatMap(referrersOf), ({ target }) => target)

  const deleteReferrers = async (
    tx: Transaction,
    name: string,
    id: string,
    deletion: CascadingDeletion,
  ): Promise<void> => {
    for (const referrer of byTarget.get(name) ?? []) {
      const { table, key, field, resource } = referrer
      const referrersTo = `SELECT ${quoted(key)} AS id FROM ${quoted(table)} WHERE ${quoted(toSnakeCase(field))} = ? LIMIT ${maxCascade + 1}`
      for (const child of await tx.read(statement(referrersTo, [id], []), toId)) {
        if (child === id && resource === name) continue
        if (deletion.ids.has(child) ? !referrer.isNullable : !referrer.isCascading)
          throw conflict(undefined, [
            {
              code: 'Reference',
              wording: deletion.ids.size > 1 ? 'Reference.usedDependent' : 'Reference.used',
              target: `${name}Id`,
              args: { what: resource, field, dependent: name },
            },
          ])
        await remove(tx, referrer, child, deletion)
      }
    }
  }

  const remove = async (tx: Transaction, referrer: Referrer, id: string, deletion: CascadingDeletion) => {
    const { resource, field, table, key } = referrer
    // This record is already being deleted further up, so its references form a cycle. Clears its reference, so that the record to
    // which it refers can be deleted first.
    if (deletion.ids.has(id)) {
      const clearing = `UPDATE ${quoted(table)} SET ${quoted(toSnakeCase(field))} = NULL WHERE ${quoted(key)} = ?`
      await tx.run(statement(clearing, [id], [id]))
      return
    }
    deletion.ids.add(id)
    if (deletion.ids.size > maxCascade)
      throw conflict(undefined, [{ code: 'Reference', wording: 'Reference.many', args: { max: maxCascade } }])
    await deleteReferrers(tx, resource, id, deletion)
    const deleteStatement = `DELETE FROM ${quoted(table)} WHERE ${quoted(key)} = ? RETURNING version`
    const [deletedVersion] = await tx.read(statement(deleteStatement, [id], [id]), toVersion)
    if (deletedVersion === undefined) return
    const change = { type: `${resource}.deleted`, subject: id, version: deletedVersion + 1, changed: [] }
    await tx.append(makeLogEntry(change, deletion.actor))
  }

  const tables = new Map(resources.map(({ name, declared }) => [name, declared?.table]))
  return {
    tableOf: (resource) => tables.get(resource),
    deleteReferrers: (tx, { resource, id }, actor) =>
      deleteReferrers(tx, resource, id, { ids: new Set([id]), actor }),
  }
}

/** The ids of the records that are deleted together, and the author of the deletion. */
interface CascadingDeletion {
  readonly ids: Set<string>
  readonly actor: Actor
}

const referrersOf = ({ name, declared }: Resource) => {
  if (!declared) return []
  const { table } = declared
  return table.columns.flatMap(({ field, schema }) => {
    const { reference, onDelete } = schema
    if (reference === undefined) return []
    return [
      {
        target: reference,
        resource: name,
        field,
        table: table.name,
        key: table.key,
        isCascading: onDelete === 'cascade',
        isNullable: isNullable(schema),
      },
    ]
  })
}

const toId = (row: Row) => String(row.id)
const toVersion = (row: Row) => Number(row.version)

import type { Policy } from '#access/policy.ts'
import type { Declaration } from '#resources/declaration.ts'
import type { Ground, Resource } from '#resources/resource.ts'
import { lookup } from '#sql/query.ts'
import { faultyRows } from '#sql/records.ts'
import { quoted } from '#sql/table.ts'
import { documentOf } from './document.ts'
import { conditionsOf, selecting } from './filters.ts'
import { declaredRecords, importedOf } from './records.ts'
import { recordRoutes } from './routes.ts'
import { type FindIn, recordService } from './service.ts'
import { type StoredRow, storageOf } from './storage.ts'
import { recordStore } from './store.ts'

/** Everything that follows from a declaration. */
export const resourceOf = (declaration: Declaration): Resource => {
  const { name, plural = `${name}s`, fields, migrations } = declaration
  const storage = storageOf(name, fields)
  const { version: _, ...sortable } = storage.table.sortable()

  const open = ({ db, clock, newId, timeZone, announce, references }: Ground) => {
    const conditions = conditionsOf(fields, timeZone)
    const select = selecting(conditions, storage)
    const store = recordStore({ name, storage, db, announce, references, select })
    const findIn: FindIn = async (tx, resource, id) => {
      const table = references.tableOf(resource)
      if (!table) throw new TypeError(`a rule of "${name}" asks for "${resource}", which is not declared`)
      const found = lookup({
        select: `SELECT ${table.selected}`,
        from: quoted(table.name),
        key: quoted(table.key),
      })
      return (await tx.read(found(id), table.make))[0] as StoredRow | undefined
    }
    const service = recordService({ declaration, store, clock, newId, findIn })
    return {
      routes: (http: Parameters<typeof recordRoutes>[0]) =>
        recordRoutes(http, service, { declaration, conditions, sortable: Object.keys(sortable) }),
    }
  }

  return {
    name,
    plural,
    ...(migrations !== undefined && { migrations: migrations as URL }),
    declared: storage.declared,
    policy: policyOf(declaration),
    document: documentOf(declaration),
    imported: importedOf(declaration),
    changes: ['created', 'updated', 'deleted'].map((type) => `${name}.${type}`),
    records: declaredRecords(declaration, storage),
    verify: (db) => faultyRows(db, storage.table),
    open,
  }
}

/** Administrators may do everything, members what the declaration says, tokens what their scopes say. */
const policyOf = ({ name, plural = `${name}s`, access }: Declaration): Policy => {
  const row = (right: 'read' | 'create' | 'update' | 'delete') => ({
    anyone: 'yes' as const,
    member: access?.member?.includes(right) ? ('yes' as const) : ('no' as const),
    scopes: [`${plural}:${right}`],
  })
  return {
    [`${plural}:read`]: row('read'),
    [`${plural}:create`]: row('create'),
    [`${plural}:update`]: row('update'),
    [`${plural}:delete`]: row('delete'),
    [`${plural}:history`]: { anyone: 'yes', member: 'no', scopes: [`changes:read ${plural}:read`] },
  }
}

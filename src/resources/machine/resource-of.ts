import type { Policy } from '#access/policy.ts'
import { verifyLogged } from '#ledger/change-records.ts'
import type { Declaration, Right } from '#resources/declaration.ts'
import type { DeclaredResource, RoomContext } from '#resources/resource.ts'
import type { Transaction } from '#sql/database.ts'
import { rebuildDerived } from '#sql/derive.ts'
import { lookup } from '#sql/query.ts'
import { faultyRows } from '#sql/records.ts'
import { quoted } from '#sql/table.ts'
import { counting, total, turnOf } from './counting.ts'
import { documentOf } from './document.ts'
import { type Conditions, conditionsOf, filterOf, selectionBy } from './filters.ts'
import { importTargetOf } from './import-target.ts'
import { labelsOf, pluralOf } from './labels.ts'
import { declaredRecords, importSchemaOf } from './records.ts'
import { noReferences } from './references.ts'
import { recordRoutes, shapesOf } from './routes.ts'
import type { CountIn, FindIn } from './rules.ts'
import { recordService } from './service.ts'
import { type Own, type StoredRow, storageOf } from './storage.ts'
import { recordStore } from './store.ts'

interface StoreContext extends Pick<RoomContext, 'db' | 'announce' | 'references'> {
  readonly conditions: Conditions
}

/** Everything that follows from a declaration. */
export const resourceOf = (declaration: Declaration, given?: Own): DeclaredResource => {
  const { name, migrations, headings } = declaration
  const own = given ?? {}
  const storage = storageOf(declaration, given)
  /** Records with a secret cannot be imported, because only the answer to a creation shows the secret. */
  const takesFiles = !own.secret

  const deriveAnew = (tx: Transaction) => rebuildDerived(tx, storage.declared.table)

  const storeOn = ({ db, announce, references, conditions }: StoreContext) =>
    recordStore({ name, storage, db, announce, references, select: selectionBy(conditions, storage), own })

  const open = (context: RoomContext) => {
    const { db, clock, newId, timeZone, announce, references, policy, changes } = context
    const conditions = conditionsOf(declaration, own, timeZone)
    const opened = own.open?.(context, storage.table) ?? {}
    const { rules, prepareCreation: _, shown: __, routes, ...others } = opened
    const store = storeOn({ db, announce, references, conditions })
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
    const countIn: CountIn = async (tx, resource, where) => {
      const table = references.tableOf(resource)
      if (!table) throw new TypeError(`a rule of "${name}" counts "${resource}", which is not declared`)
      if (db.engine === 'postgres') await tx.read(turnOf(resource), () => undefined)
      return (await tx.read(counting(table, where), total))[0] ?? 0
    }
    const service = recordService({
      ...{ declaration: rules ? { ...declaration, rules } : declaration, own, store, clock, newId },
      ...{ findIn, countIn, policy, changes, cursors: context.cursors, opened },
    })
    return {
      ...others,
      routes(http: Parameters<typeof recordRoutes>[0]) {
        recordRoutes(http, service, {
          ...{ declaration, own, shapes: shapesOf(declaration, own), filter: filterOf(conditions) },
          ...{ sortable: Object.keys(storage.sortable), creation: { refuses: own.refuses ?? [] } },
        })
        routes?.(http)
      },
      ...(takesFiles && { importTarget: importTargetOf(declaration, own, { db, storage, service }) }),
    }
  }

  return {
    name,
    plural: pluralOf(declaration),
    ...(migrations !== undefined && { migrations: migrations as URL }),
    declared: storage.declared,
    takesFiles,
    policy: policyOf(declaration, own),
    labels: labelsOf(declaration),
    document: { ...documentOf(declaration, own), ...(given && { hasRules: false }) },
    ...(headings && { foreign: headings }),
    migrationCode: Object.fromEntries((own.derivedAnew ?? []).map((name) => [name, deriveAnew])),
    imported: importSchemaOf(declaration, own),
    ...(own.codes && { codes: own.codes }),
    ...(own.errors && { errors: own.errors }),
    ...(own.warning && { warning: own.warning }),
    ...(own.alsoMoved && { alsoMoved: own.alsoMoved }),
    changes: ['created', 'updated', 'deleted'].map((type) => `${name}.${type}`),
    records: declaredRecords(declaration, storage, given),
    async *verify(db) {
      const { table } = storage
      yield* faultyRows(db, table)
      yield* verifyLogged(db, {
        room: name,
        table,
        selected: table.selected,
        make: table.make,
        values: storage.hidden.size > 0 ? 'none' : 'kept',
        ...(own.unlogged && { unlogged: own.unlogged }),
      })
    },
    store: (db, announce) =>
      storeOn({ db, announce, references: noReferences, conditions: conditionsOf(declaration, own, 'UTC') }),
    open,
  }
}

/** Administrators may do everything; members as the declaration says; tokens as their scopes say. */
const policyOf = (declaration: Declaration, { scopes, stored, secret }: Own): Policy => {
  const plural = pluralOf(declaration)
  const also = (right: Right) => scopes?.[right] ?? []
  const row = (right: Right) => ({
    anyone: 'yes' as const,
    member: declaration.access?.member?.includes(right) ? ('yes' as const) : ('no' as const),
    scopes: [`${plural}:${right}`, also(right)].flat(),
  })
  return {
    [`${plural}:read`]: row('read'),
    [`${plural}:create`]: { ...row('create'), ...(secret && { notInBatch: true }) },
    [`${plural}:update`]: row('update'),
    [`${plural}:delete`]: row('delete'),
    ...(!stored && {
      [`${plural}:restore`]: { anyone: 'yes', member: 'no', scopes: [`${plural}:restore`] },
      [`${plural}:history`]: {
        anyone: 'yes',
        member: 'no',
        scopes: [
          `changes:read ${plural}:read`,
          ...[also('read')].flat().map((scope) => `changes:read ${scope}`),
        ],
      },
    }),
  }
}

import type { Policy } from '#access/policy.ts'
import { verifyLogged } from '#ledger/change-records.ts'
import type { Declaration, Right, ShippedParts } from '#resources/declaration.ts'
import type { DeclaredResource, ResourceContext } from '#resources/resource.ts'
import type { Transaction } from '#sql/database.ts'
import { rebuildDerived } from '#sql/derive.ts'
import { lookup } from '#sql/query.ts'
import { faultyRows } from '#sql/records.ts'
import { quoted } from '#sql/table.ts'
import { countingLock, countQuery, totalIn } from './counting.ts'
import { documentOf } from './document.ts'
import { type Conditions, conditionsOf, filterOf, selectionsOf } from './filters.ts'
import { importTargetOf } from './import-target.ts'
import { labelsOf, pluralOf } from './labels.ts'
import { declaredRecords, fileSchemaOf } from './records.ts'
import { noReferences } from './references.ts'
import { recordRoutes, recordSchemasOf } from './routes.ts'
import type { CountIn, FindIn } from './rules.ts'
import { recordService } from './service.ts'
import { type StoredRow, storageOf } from './storage.ts'
import { recordStore } from './store.ts'

interface StoreContext extends Pick<ResourceContext, 'db' | 'makeLogEntry' | 'references'> {
  readonly conditions: Conditions
}

/** Derives a resource from its declaration. */
export const resourceOf = (declaration: Declaration, shippedParts?: ShippedParts): DeclaredResource => {
  const { name, migrations, headings } = declaration
  const shipped = shippedParts ?? {}
  const storage = storageOf(declaration, shippedParts)
  // An import could not show the secrets of its records, because only the answer to a creation shows one.
  const hasFileImport = !shipped.secret

  const rebuildSearchColumns = (tx: Transaction) => rebuildDerived(tx, storage.declared.table)

  const storeOn = ({ db, makeLogEntry, references, conditions }: StoreContext) =>
    recordStore({
      name,
      storage,
      db,
      makeLogEntry,
      references,
      shipped,
      selectionOf: selectionsOf(conditions, storage),
    })

  const open = (context: ResourceContext) => {
    const { db, clock, newId, timeZone, makeLogEntry, references, policy, changes } = context
    const conditions = conditionsOf(declaration, shipped, timeZone)
    const opened = shipped.open?.(context, storage.table) ?? {}
    const { rules, prepareCreation: _, addComputed: __, routes, ...openedParts } = opened
    const store = storeOn({ db, makeLogEntry, references, conditions })
    const findIn: FindIn = async (tx, resource, id) => {
      const table = references.tableOf(resource)
      if (!table) throw new TypeError(`a rule of "${name}" asks for "${resource}", which is not declared`)
      const recordById = lookup({
        select: `SELECT ${table.selected}`,
        from: quoted(table.name),
        key: quoted(table.key),
      })
      return (await tx.read(recordById(id), table.toRecord))[0] as StoredRow | undefined
    }
    const countIn: CountIn = async (tx, resource, where) => {
      const table = references.tableOf(resource)
      if (!table) throw new TypeError(`a rule of "${name}" counts "${resource}", which is not declared`)
      if (db.engine === 'postgres') await tx.read(countingLock(resource), () => undefined)
      return (await tx.read(countQuery(table, where), totalIn))[0] ?? 0
    }
    const service = recordService({
      declaration: rules ? { ...declaration, rules } : declaration,
      shipped,
      store,
      clock,
      newId,
      findIn,
      countIn,
      policy,
      changes,
      cursors: context.cursors,
      opened,
    })
    return {
      ...openedParts,
      routes(http: Parameters<typeof recordRoutes>[0]) {
        recordRoutes(http, service, {
          declaration,
          shipped,
          schemas: recordSchemasOf(declaration, shipped),
          filter: filterOf(conditions),
          sortable: Object.keys(storage.sortable),
          creation: { refusals: shipped.refusals ?? [] },
        })
        routes?.(http)
      },
      ...(hasFileImport && { importTarget: importTargetOf(declaration, shipped, { db, storage, service }) }),
    }
  }

  return {
    name,
    plural: pluralOf(declaration),
    ...(migrations !== undefined && { migrations: migrations as URL }),
    declared: storage.declared,
    hasFileImport,
    policy: policyOf(declaration, shipped),
    labels: labelsOf(declaration),
    document: { ...documentOf(declaration, shipped), ...(shippedParts && { hasRules: false }) },
    ...(headings && { headings }),
    migrationCode: Object.fromEntries(
      (shipped.rederivingMigrations ?? []).map((name) => [name, rebuildSearchColumns]),
    ),
    fileSchema: fileSchemaOf(declaration, shipped),
    ...(shipped.errorCodes && { errorCodes: shipped.errorCodes }),
    ...(shipped.errors && { errors: shipped.errors }),
    ...(shipped.warning && { warning: shipped.warning }),
    ...(shipped.relatedRecords && { relatedRecords: shipped.relatedRecords }),
    changeTypes: ['created', 'updated', 'deleted'].map((type) => `${name}.${type}`),
    records: declaredRecords(declaration, storage, shippedParts),
    async *verify(db) {
      const { table } = storage
      yield* faultyRows(db, table)
      yield* verifyLogged(db, {
        resource: name,
        table,
        selected: table.selected,
        make: table.toRecord,
        values: storage.hidden.size > 0 ? 'none' : 'kept',
        ...(shipped.unloggedFields && { unlogged: shipped.unloggedFields }),
      })
    },
    store: (db, makeLogEntry) =>
      storeOn({
        db,
        makeLogEntry,
        references: noReferences,
        conditions: conditionsOf(declaration, shipped, 'UTC'),
      }),
    open,
  }
}

/** Members have the rights of the declaration, and tokens those of their scopes. */
const policyOf = (declaration: Declaration, { scopes, storageFields, secret }: ShippedParts): Policy => {
  const plural = pluralOf(declaration)
  const furtherScopes = (right: Right) => scopes?.[right] ?? []
  const policyRow = (right: Right) => ({
    // `anyone` is every caller of a service without access control.
    anyone: 'yes' as const,
    member: declaration.access?.member?.includes(right) ? ('yes' as const) : ('no' as const),
    scopes: [`${plural}:${right}`, furtherScopes(right)].flat(),
  })
  return {
    [`${plural}:read`]: policyRow('read'),
    [`${plural}:create`]: { ...policyRow('create'), ...(secret && { notInBatch: true }) },
    [`${plural}:update`]: policyRow('update'),
    [`${plural}:delete`]: policyRow('delete'),
    ...(!storageFields && {
      [`${plural}:restore`]: { anyone: 'yes', member: 'no', scopes: [`${plural}:restore`] },
      [`${plural}:history`]: {
        anyone: 'yes',
        member: 'no',
        scopes: [
          `changes:read ${plural}:read`,
          ...[furtherScopes('read')].flat().map((scope) => `changes:read ${scope}`),
        ],
      },
    }),
  }
}

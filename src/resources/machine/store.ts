import { isId } from '#core/id.ts'
import { type Detail, referenceMissing } from '#core/problem.ts'
import type { Actor } from '#http/api/change.ts'
import type { RouteCall } from '#http/api/routes.ts'
import type { ShippedParts } from '#resources/declaration.ts'
import type { ResourceContext } from '#resources/resource.ts'
import { noResult, type Row, type Transaction } from '#sql/database.ts'
import type { DeclaredTable } from '#sql/declared.ts'
import { type Lists, listing, type Selection } from '#sql/listing.ts'
import { key, lookup, type Query, raw, sql, statement } from '#sql/query.ts'
import { quoted, toSnakeCase } from '#sql/table.ts'
import type { Storage, StoredRow } from './storage.ts'

type Reader = Pick<Transaction, 'read'>

export interface RecordStore<F> extends Lists<StoredRow, F> {
  find(id: string): Promise<StoredRow | undefined>
  /** Inserts the record, after `steps.revise` if there is one. Returns the inserted record, or the reasons why it cannot be stored. */
  insert(record: StoredRow, actor: Actor, steps?: CreationSteps): Promise<StoredRow | readonly Detail[]>
  /** Replaces the previous version. Undefined if another request changed the record first. */
  replace(
    record: StoredRow,
    changed: readonly string[],
    actor: Actor,
  ): Promise<StoredRow | undefined | readonly Detail[]>
  /** Reads the record and replaces it with the result of `revise`, in one transaction. Undefined if there is no record. */
  change(id: string, revise: Revise, actor: Actor): Promise<StoredRow | undefined | readonly Detail[]>
  /** Deletes the record if it has the expected version, or any version if none is expected. False if there is no such version. */
  remove(id: string, call: Pick<RouteCall, 'expectedVersion' | 'actor'>, revise?: Revise): Promise<boolean>
}

/** Functions that run in the transaction of a creation, before and after the record is inserted. */
export interface CreationSteps {
  readonly revise?: Revise | undefined
  readonly afterInsert?: ((tx: Transaction) => Promise<void>) | undefined
}

/** Applies rules and conditions to a record. Returns the record to store, or the same object if nothing changes. */
export type Revise = (record: StoredRow, reader: Reader) => StoredRow | Promise<StoredRow>

interface StoreContext<F> extends Pick<ResourceContext, 'db' | 'makeLogEntry' | 'references'> {
  readonly name: string
  readonly storage: Storage
  readonly selectionOf: (filter: F) => Selection
  readonly shipped: ShippedParts
}

/** Statements that write a record of a declared table only if no other record has the same unique values, and all referenced records exist. */
export const checkedStatements = ({ resource, table, unique }: DeclaredTable) => {
  const hasConstraints = table.references.length > 0 || Object.keys(unique).length > 0
  const uniqueColumns = Object.entries(unique).map(([column, field]) => ({
    column,
    field,
    duplicate: `SELECT 1 AS one FROM ${quoted(table.name)} WHERE ${quoted(column)} = ? AND ${quoted(table.key)} <> ?`,
  }))
  const valuesFor = (column: string, record: object) => [
    table.valueOf(column, record),
    table.valueOf(table.key, record),
  ]

  return {
    hasConstraints,

    /** Inserts nothing if a unique value is in use, or if another request has already restored the record. */
    insertion: (record: { readonly version?: number }) => {
      const query = table.insert(record)
      return hasConstraints || record.version !== 1 ? sql`${query} ON CONFLICT DO NOTHING` : query
    },

    /** Updates the previous version, unless another record has one of its unique values. */
    replacement: (record: { readonly version: number }) => {
      const updateOfPrevious = sql`${table.update(record)} AND version = ${record.version - 1}`
      return uniqueColumns.reduce((query, { column, duplicate }) => {
        const isFree = statement(`NOT EXISTS (${duplicate})`, valuesFor(column, record), [])
        return sql`${query} AND ${isFree}`
      }, updateOfPrevious)
    },

    /** The reasons why a record could not be written. Empty if another request changed it first. */
    faults: async (reader: Reader, record: object): Promise<readonly Detail[]> => {
      const found: Detail[] = []
      const exists = async (query: Query) => (await reader.read(query, isRow)).length > 0
      for (const { field, table: to, column } of table.references) {
        const id = table.valueOf(toSnakeCase(field), record)
        if (id === null) continue
        const referenced = statement(
          `SELECT 1 AS one FROM ${quoted(to)} WHERE ${quoted(column)} = ?`,
          [id],
          [],
        )
        if (!(await exists(referenced))) found.push(referenceMissing(field, to.replaceAll('_', ' ')))
      }
      for (const { column, field, duplicate } of uniqueColumns)
        if (await exists(statement(duplicate, valuesFor(column, record), [])))
          found.push({ code: 'Unique', target: field, args: { what: resource } })
      return found
    },
  }
}

export const recordStore = <F extends object>(context: StoreContext<F>): RecordStore<F> => {
  const { name, storage, db, makeLogEntry, references, selectionOf, shipped } = context
  const { table, declared, readQuery, hidden, sortable } = storage
  const idField = `${name}Id`
  const storedById = lookup({
    select: `SELECT ${table.selected}`,
    from: quoted(table.name),
    key: quoted(table.key),
  })
  const select = `SELECT ${readQuery.selected}`
  const { from } = readQuery
  const idColumn = `${quoted(table.name)}.${quoted(table.key)}`
  // A write to a joined table does not drop this record from the cache of `lookup`, so with joined tables `lookup` is not used.
  const recordById = shipped.joinedFields
    ? (id: string) => sql`${raw(`${select} FROM ${from} WHERE ${idColumn}`)} = ${id}`
    : lookup({ select, from, key: idColumn })
  const idOf = (record: StoredRow) => String(record[idField])
  const { hasConstraints, insertion, replacement, faults } = checkedStatements(declared)

  const loggedAtCreation = writableFields(table.columns).filter((field) => !hidden.has(field))
  const entryOf = (type: string, record: StoredRow, changed: readonly string[], actor: Actor) => {
    const change = { type: `${name}.${type}`, subject: idOf(record), version: record.version, changed }
    return makeLogEntry(hidden.size > 0 ? change : { ...change, record }, actor)
  }
  const createdEntry = (record: StoredRow, actor: Actor) =>
    entryOf('created', record, loggedAtCreation, actor)
  const updatedEntry = (record: StoredRow, changed: readonly string[], actor: Actor) =>
    entryOf('updated', record, changed, actor)
  const notify = async (tx: Transaction, id: string) => {
    if (shipped.notification) await tx.publish(...shipped.notification(id))
  }

  const changedBetween = (before: StoredRow, after: StoredRow) =>
    table.columns
      .filter((one) => table.valueOf(one.name, before) !== table.valueOf(one.name, after))
      .map(({ field }) => field)
      .filter((field) => !changesAlways(field))
  const loggedFields = (changed: readonly string[]) => [
    ...changed.filter((field) => !hidden.has(field)),
    ...(changed.some((field) => hidden.has(field)) ? ['secret'] : []),
  ]

  return {
    ...listing(db, { toItem: readQuery.make, select: selectionOf, sortable, position: idField }),

    find: (id) => (isId(id) ? db.find(recordById(id), readQuery.make) : noResult),

    insert: async (record, actor, { revise, afterInsert } = {}) => {
      if (!revise && !afterInsert && !shipped.notification) {
        const inserted = await db.run(insertion(record), createdEntry(record, actor))
        return inserted === 1 ? record : faults(db, record)
      }
      return db.write(async (tx) => {
        const revised = revise ? await revise(record, tx) : record
        if ((await tx.run(insertion(revised))) === 0) return faults(tx, revised)
        await tx.append(createdEntry(revised, actor))
        await afterInsert?.(tx)
        await notify(tx, idOf(revised))
        return revised
      })
    },

    replace: async (record, changed, actor) => {
      const replaced = await db.run(replacement(record), updatedEntry(record, changed, actor))
      if (replaced === 1) return record
      const found = hasConstraints ? await faults(db, record) : []
      return found.length > 0 ? found : undefined
    },

    change: async (id, revise, actor) => {
      if (!isId(id)) return undefined
      return db.write(async (tx) => {
        const [before] = await tx.read(storedById(id), table.toRecord)
        if (!before) return undefined
        const after = await revise(before, tx)
        const changed = changedBetween(before, after)
        if (changed.length === 0) return before
        if ((await tx.run(replacement(after))) === 0) return faults(tx, after)
        await tx.append(updatedEntry(after, loggedFields(changed), actor))
        await notify(tx, id)
        return after
      })
    },

    remove: async (id, { expectedVersion, actor }, revise) => {
      if (!isId(id)) return false
      const deletion = sql`DELETE FROM ${raw(quoted(table.name))} WHERE ${raw(quoted(table.key))} = ${key(id)}`
      const deletionOfExpected =
        expectedVersion === undefined ? deletion : sql`${deletion} AND version = ${expectedVersion}`
      const removal = db.write(async (tx) => {
        if (revise) {
          const [record] = await tx.read(storedById(id), table.toRecord)
          if (record) await revise(record, tx)
        }
        await references.deleteReferrers(tx, { resource: name, id }, actor)
        const [deletedVersion] = await tx.read(sql`${deletionOfExpected} RETURNING version`, toVersion)
        // Rolls back, so that the cascade is undone too.
        if (deletedVersion === undefined) throw versionGone
        const change = { type: `${name}.deleted`, subject: id, version: deletedVersion + 1, changed: [] }
        await tx.append(makeLogEntry(change, actor))
        await notify(tx, id)
        return true
      })
      return removal.catch((error: unknown) => {
        if (error === versionGone) return false
        throw error
      })
    },
  }
}

const versionGone = new Error('the version to delete is not there')

const toVersion = (row: Row) => Number(row.version)
const isRow = () => true

/** Such fields are not listed in the log. */
const changesAlways = (field: string) => field === 'version' || field === 'lastModifiedAt'

const writableFields = (columns: Storage['table']['columns']) =>
  columns
    .filter(({ field, schema }) => !('readOnly' in schema) && !changesAlways(field))
    .map(({ field }) => field)

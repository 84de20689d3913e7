import { isId } from '#core/id.ts'
import { type Detail, referenceMissing } from '#core/problem.ts'
import type { Actor } from '#http/api/change.ts'
import type { Call } from '#http/api/routes.ts'
import type { RoomContext } from '#resources/resource.ts'
import { nothing, type Row, type Transaction } from '#sql/database.ts'
import type { DeclaredTable } from '#sql/declared.ts'
import { type Lists, listing, type Selection } from '#sql/listing.ts'
import { key, lookup, type Query, raw, sql, statement } from '#sql/query.ts'
import { quoted, snake } from '#sql/table.ts'
import type { Own, Storage, StoredRow } from './storage.ts'

type Reader = Pick<Transaction, 'read'>

export interface RecordStore<F> extends Lists<StoredRow, F> {
  find(id: string): Promise<StoredRow | undefined>
  /** Inserts the result of `judge`. Returns the record, or the reason why it cannot be stored. */
  insert(record: StoredRow, actor: Actor, within?: CreationWork): Promise<StoredRow | readonly Detail[]>
  /** Replaces the previous version. Undefined if another request was faster. */
  replace(
    record: StoredRow,
    changed: readonly string[],
    actor: Actor,
  ): Promise<StoredRow | undefined | readonly Detail[]>
  /** Reads the record and replaces it with the result of `judge`, in one transaction. Undefined if there is no record. */
  change(id: string, judge: Judge, actor: Actor): Promise<StoredRow | undefined | readonly Detail[]>
  /** Removes this version, or any version if undefined. False if there is none. */
  remove(id: string, asked: Pick<Call, 'expected' | 'actor'>, judge?: Judge): Promise<boolean>
}

/** Work in the transaction of a creation, before and after the record is inserted. */
export interface CreationWork {
  readonly judge?: Judge | undefined
  readonly also?: ((tx: Transaction) => Promise<void>) | undefined
}

/** Returns the record to store, or the same record if nothing changes. */
export type Judge = (record: StoredRow, reader: Reader) => StoredRow | Promise<StoredRow>

interface StoreParts<F> extends Pick<RoomContext, 'db' | 'announce' | 'references'> {
  readonly name: string
  readonly storage: Storage
  readonly select: (filter: F) => Selection
  readonly own: Own
}

/** The statements that write a record of a declared table if its references and unique values allow it. */
export const checkedStatements = ({ room, table, unique }: DeclaredTable) => {
  const isChecked = table.references.length > 0 || Object.keys(unique).length > 0
  const uniques = Object.entries(unique).map(([column, field]) => ({
    column,
    field,
    text: `SELECT 1 AS one FROM ${quoted(table.name)} WHERE ${quoted(column)} = ? AND ${quoted(table.key)} <> ?`,
  }))
  const valuesFor = (column: string, record: object) => [
    table.valueOf(column, record),
    table.valueOf(table.key, record),
  ]

  return {
    isChecked,

    /** Another request may have restored the record meanwhile. */
    insertion: (record: { readonly version?: number }) => {
      const query = table.insert(record)
      return isChecked || record.version !== 1 ? sql`${query} ON CONFLICT DO NOTHING` : query
    },

    /** Updates the previous version, unless another record has one of its unique values. */
    replacement: (record: { readonly version: number }) => {
      const same = sql`${table.update(record)} AND version = ${record.version - 1}`
      return uniques.reduce((query, { column, text }) => {
        const isFree = statement(`NOT EXISTS (${text})`, valuesFor(column, record), [])
        return sql`${query} AND ${isFree}`
      }, same)
    },

    /** Why this record could not be written: empty if another request was faster. */
    faults: async (reader: Reader, record: object): Promise<readonly Detail[]> => {
      const found: Detail[] = []
      const exists = async (query: Query) => (await reader.read(query, isRow)).length > 0
      for (const { field, table: to, column } of table.references) {
        const id = table.valueOf(snake(field), record)
        if (id === null) continue
        const known = statement(`SELECT 1 AS one FROM ${quoted(to)} WHERE ${quoted(column)} = ?`, [id], [])
        if (!(await exists(known))) found.push(referenceMissing(field, to.replaceAll('_', ' ')))
      }
      for (const { column, field, text } of uniques)
        if (await exists(statement(text, valuesFor(column, record), [])))
          found.push({ code: 'Unique', target: field, args: { what: room } })
      return found
    },
  }
}

export const recordStore = <F extends object>(parts: StoreParts<F>): RecordStore<F> => {
  const { name, storage, db, announce, references, select, own } = parts
  const { table, declared, shown, hidden, sortable } = storage
  const idField = `${name}Id`
  const wholeById = lookup({
    select: `SELECT ${table.selected}`,
    from: quoted(table.name),
    key: quoted(table.key),
  })
  const shownOf = {
    select: `SELECT ${shown.selected}`,
    from: shown.from,
    key: `${quoted(table.name)}.${quoted(table.key)}`,
  }
  // No `lookup` where other tables are read: their writes do not name this record.
  const byId = own.unversioned
    ? (id: string) => sql`${raw(`${shownOf.select} FROM ${shownOf.from} WHERE ${shownOf.key}`)} = ${id}`
    : lookup(shownOf)
  const idOf = (record: StoredRow) => String(record[idField])
  const { isChecked, insertion, replacement, faults } = checkedStatements(declared)

  const written = writable(table.columns).filter((field) => !hidden.has(field))
  const entryOf = (type: string, record: StoredRow, changed: readonly string[], actor: Actor) => {
    const change = { type: `${name}.${type}`, subject: idOf(record), version: record.version, changed }
    return announce(hidden.size > 0 ? change : { ...change, record }, actor)
  }
  const created = (record: StoredRow, actor: Actor) => entryOf('created', record, written, actor)
  const updated = (record: StoredRow, changed: readonly string[], actor: Actor) =>
    entryOf('updated', record, changed, actor)
  const tell = async (tx: Transaction, id: string) => {
    if (own.notification) await tx.publish(...own.notification(id))
  }

  const changedBetween = (before: StoredRow, after: StoredRow) =>
    table.columns
      .filter(
        (one) =>
          !changesAlways(one.field) && table.valueOf(one.name, before) !== table.valueOf(one.name, after),
      )
      .map(({ field }) => field)
  const named = (changed: readonly string[]) => [
    ...changed.filter((field) => !hidden.has(field)),
    ...(changed.some((field) => hidden.has(field)) ? ['secret'] : []),
  ]

  return {
    ...listing(db, { make: shown.make, select, sortable, position: idField }),

    find: (id) => (isId(id) ? db.find(byId(id), shown.make) : nothing),

    insert: async (record, actor, { judge, also } = {}) => {
      if (!judge && !also && !own.notification) {
        const inserted = await db.run(insertion(record), created(record, actor))
        return inserted === 1 ? record : faults(db, record)
      }
      return db.write(async (tx) => {
        const judged = judge ? await judge(record, tx) : record
        if ((await tx.run(insertion(judged))) === 0) return faults(tx, judged)
        await tx.append(created(judged, actor))
        await also?.(tx)
        await tell(tx, idOf(judged))
        return judged
      })
    },

    replace: async (record, changed, actor) => {
      const replaced = await db.run(replacement(record), updated(record, changed, actor))
      if (replaced === 1) return record
      const found = isChecked ? await faults(db, record) : []
      return found.length > 0 ? found : undefined
    },

    change: async (id, judge, actor) => {
      if (!isId(id)) return undefined
      return db.write(async (tx) => {
        const [before] = await tx.read(wholeById(id), table.make)
        if (!before) return undefined
        const after = await judge(before, tx)
        const changed = changedBetween(before, after)
        if (changed.length === 0) return before
        if ((await tx.run(replacement(after))) === 0) return faults(tx, after)
        await tx.append(updated(after, named(changed), actor))
        await tell(tx, id)
        return after
      })
    },

    remove: async (id, { expected, actor }, judge) => {
      if (!isId(id)) return false
      const any = sql`DELETE FROM ${raw(quoted(table.name))} WHERE ${raw(quoted(table.key))} = ${key(id)}`
      const one = expected === undefined ? any : sql`${any} AND version = ${expected}`
      const removal = db.write(async (tx) => {
        if (judge) {
          const [record] = await tx.read(wholeById(id), table.make)
          if (record) await judge(record, tx)
        }
        await references.release(tx, { resource: name, id }, actor)
        const [last] = await tx.read(sql`${one} RETURNING version`, toVersion)
        // Rolls back, so that the records that would go with it stay too.
        if (last === undefined) throw notThere
        const change = { type: `${name}.deleted`, subject: id, version: last + 1, changed: [] }
        await tx.append(announce(change, actor))
        await tell(tx, id)
        return true
      })
      return removal.catch((error: unknown) => {
        if (error === notThere) return false
        throw error
      })
    },
  }
}

const notThere = new Error('the version to delete is not there')

const toVersion = (row: Row) => Number(row.version)
const isRow = () => true

/** Fields of every change, which the log does not name. */
const changesAlways = (field: string) => field === 'version' || field === 'lastModifiedAt'

const writable = (columns: Storage['table']['columns']) =>
  columns
    .filter(({ field, schema }) => !('readOnly' in schema) && !changesAlways(field))
    .map(({ field }) => field)

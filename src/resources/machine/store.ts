import { isId } from '#core/id.ts'
import { type Detail, referenceMissing } from '#core/problem.ts'
import type { Actor } from '#http/api/guard.ts'
import type { Call } from '#http/api/routes.ts'
import type { Announce } from '#ledger/change-log.ts'
import type { References } from '#resources/resource.ts'
import { type Database, nothing, type Row, type Transaction } from '#sql/database.ts'
import type { DeclaredTable } from '#sql/declared.ts'
import { type Lists, listing, type Selection } from '#sql/listing.ts'
import { key, lookup, type Query, raw, sql, statement } from '#sql/query.ts'
import { quoted, snake } from '#sql/table.ts'
import type { Storage, StoredRow } from './storage.ts'

type Reader = Pick<Transaction, 'read'>

export interface RecordStore<F> extends Lists<StoredRow, F> {
  find(id: string): Promise<StoredRow | undefined>
  /** Inserts what `judge` makes of it. Returns the record, or why it cannot be stored. */
  insert(record: StoredRow, actor: Actor, judge?: Judge): Promise<StoredRow | readonly Detail[]>
  /** Replaces the previous version. Undefined if another request was faster. */
  replace(
    record: StoredRow,
    changed: readonly string[],
    actor: Actor,
  ): Promise<StoredRow | undefined | readonly Detail[]>
  /** Replaces it by what `judge` makes of what is there, all in one transaction. Undefined when it is not there. */
  change(id: string, judge: Judge, actor: Actor): Promise<StoredRow | undefined | readonly Detail[]>
  /** Removes this version, or any if undefined. False when it is not there. */
  remove(id: string, asked: Pick<Call, 'expected' | 'actor'>, judge?: Judge): Promise<boolean>
}

/** Returns the record to store: the same one if nothing is to change. */
export type Judge = (record: StoredRow, reader: Reader) => StoredRow | Promise<StoredRow>

interface StoreParts<F> {
  readonly name: string
  readonly storage: Storage
  readonly db: Database
  readonly announce: Announce
  readonly references: References
  readonly select: (filter: F) => Selection
}

/** The statements that write a record of a declared table if its references and unique values allow it. */
export const writesOf = ({ room, table, unique }: DeclaredTable) => {
  const isChecked = table.references.length > 0 || Object.keys(unique).length > 0
  const shared = Object.entries(unique).map(([column, field]) => ({
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

    insertion: (record: object) => {
      const query = table.insert(record)
      return isChecked ? sql`${query} ON CONFLICT DO NOTHING` : query
    },

    /** Of the previous version, and only where no other record has a value that only one may have. */
    replacement: (record: { readonly version: number }) => {
      const same = sql`${table.update(record)} AND version = ${record.version - 1}`
      return shared.reduce((query, { column, text }) => {
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
      for (const { column, field, text } of shared)
        if (await exists(statement(text, valuesFor(column, record), [])))
          found.push({ code: 'Unique', target: field, args: { what: room } })
      return found
    },
  }
}

/** The records of one resource, in its table. */
export const recordStore = <F extends object>(parts: StoreParts<F>): RecordStore<F> => {
  const { name, storage, db, announce, references, select } = parts
  const { table, declared } = storage
  const idField = `${name}Id`
  const byId = lookup({
    select: `SELECT ${table.selected}`,
    from: quoted(table.name),
    key: quoted(table.key),
  })
  const { version: _, ...sortable } = table.sortable()
  const idOf = (record: StoredRow) => String(record[idField])
  const { isChecked, insertion, replacement, faults } = writesOf(declared)

  const written = writable(table.columns)
  const created = (record: StoredRow, actor: Actor) =>
    announce({ type: `${name}.created`, subject: idOf(record), version: 1, changed: written, record }, actor)
  const updated = (record: StoredRow, changed: readonly string[], actor: Actor) => {
    const { version } = record
    return announce({ type: `${name}.updated`, subject: idOf(record), version, changed, record }, actor)
  }

  const changedBetween = (before: StoredRow, after: StoredRow) =>
    table.columns
      .map(({ field }) => field)
      .filter((field) => !isCounted(field) && before[field] !== after[field])

  return {
    ...listing(db, { make: table.make, select, sortable, position: idField }),

    find: (id) => (isId(id) ? db.find(byId(id), table.make) : nothing),

    insert: async (record, actor, judge) => {
      if (!judge) {
        const inserted = await db.run(insertion(record), created(record, actor))
        return inserted === 1 ? record : faults(db, record)
      }
      return db.write(async (tx) => {
        const judged = await judge(record, tx)
        if ((await tx.run(insertion(judged))) === 0) return faults(tx, judged)
        await tx.enter(created(judged, actor))
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
        const [before] = await tx.read(byId(id), table.make)
        if (!before) return undefined
        const after = await judge(before, tx)
        const changed = changedBetween(before, after)
        if (changed.length === 0) return before
        if ((await tx.run(replacement(after))) === 0) return faults(tx, after)
        await tx.enter(updated(after, changed, actor))
        return after
      })
    },

    remove: async (id, { expected, actor }, judge) => {
      if (!isId(id)) return false
      const any = sql`DELETE FROM ${raw(quoted(table.name))} WHERE ${raw(quoted(table.key))} = ${key(id)}`
      const one = expected === undefined ? any : sql`${any} AND version = ${expected}`
      return db.write(async (tx) => {
        if (judge) {
          const [record] = await tx.read(byId(id), table.make)
          if (record) await judge(record, tx)
        }
        await references.release(tx, { resource: name, id }, actor)
        const [last] = await tx.read(sql`${one} RETURNING version`, toVersion)
        if (last === undefined) return false
        const change = { type: `${name}.deleted`, subject: id, version: last + 1, changed: [] }
        await tx.enter(announce(change, actor))
        return true
      })
    },
  }
}

const toVersion = (row: Row) => Number(row.version)
const isRow = () => true

/** What every change changes is not named. */
const isCounted = (field: string) => field === 'version' || field === 'lastModifiedAt'

const writable = (columns: Storage['table']['columns']) =>
  columns
    .filter(({ field, schema }) => !('readOnly' in schema) && !isCounted(field))
    .map(({ field }) => field)

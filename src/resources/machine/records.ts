import { type Fields, isNullable, Nullable, type Schema, startingOf } from '#core/schema.ts'
import { Imported, type ObjectSchema } from '#core/shapes.ts'
import { type Announce, ourselves } from '#ledger/change-log.ts'
import type { Declaration, StoredRecord } from '#resources/declaration.ts'
import { instantInFile, isStored as isInTable, recordsOf } from '#resources/imported.ts'
import type { ReadContext, RoomRecords, Unique } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import type { DeclaredTable } from '#sql/declared.ts'
import { raw, sql } from '#sql/query.ts'
import { quoted, type Table } from '#sql/table.ts'
import { pluralOf } from './labels.ts'
import {
  hiddenFields,
  type Keywords,
  type Own,
  type Storage,
  type StoredRow,
  storedFields,
} from './storage.ts'

/** The fields of a record in a file. */
export const importSchemaOf = (declaration: Declaration, own?: Own): Schema & ObjectSchema => {
  const { name, fields } = declaration
  const hidden = own?.isSealed ? {} : hiddenFields(declaration, own)
  const stated = { ...storedFields(declaration, own), ...hidden }
  return withStarting(fields, Imported(name, fileFields(stated)))
}

/** A file may omit fields that start with a value. */
export const withStarting = <S extends ObjectSchema>(fields: Fields, schema: S): S => ({
  ...schema,
  required: schema.required.filter((field) => startingOf(fields[field]) === undefined),
  absent: 'starts',
})

/** In a file, times are text, and fields that start with a value may be missing. */
export const fileFields = (fields: Declaration['fields']): Declaration['fields'] =>
  Object.fromEntries(
    Object.entries(fields).map(([field, schema]: [string, Keywords]) => {
      if ('readOnly' in schema) return [field, schema]
      const { zone: _, ...stated } = schema
      return [field, startingOf(schema) === undefined || isNullable(schema) ? stated : Nullable(stated)]
    }),
  )

/** Converts records between their stored form and their form in a file. */
export const declaredRecords =
  (declaration: Declaration, { table, declared, hidden }: Storage, own?: Own) =>
  (db: Database, announce?: Announce): RoomRecords<StoredRow> => {
    const { name, fields } = declaration
    const idField = `${name}Id`
    const announceCreated =
      announce &&
      ((record: StoredRow) => {
        const subject = String(record[idField])
        const change = { type: `${name}.created`, subject, version: 1, changed: Object.keys(fields) }
        return announce(hidden.size > 0 ? change : { ...change, record }, ourselves())
      })
    const withoutSealed = (record: object) =>
      own?.isSealed
        ? Object.fromEntries(Object.entries(record).filter(([field]) => !hidden.has(field)))
        : record
    const common = recordsOf(db, table, pluralOf(declaration), announceCreated)
    return {
      ...common,
      shown: (record) => withoutSealed(common.shown(record)),
      unique: (record) => [...common.unique(record), ...uniqueValues(db, declared, record)],
      async read(body, context) {
        const record = readRecord(table, body as object, context)
        return own?.fromFile ? { ...record, ...own.fromFile(record as StoredRow & StoredRecord) } : record
      },
    }
  }

/** Reads a record from a file. Missing ids and times are assigned. */
export const readRecord = <T extends object>(
  { key, columns }: Table<T>,
  stated: object,
  { newId, now }: Pick<ReadContext, 'newId' | 'now'>,
): T => {
  const given = stated as Readonly<Record<string, string | null>>
  const created = instantInFile('createdAt', given.createdAt ?? null) ?? now
  const assigned = (field: string, column: string) => {
    if (column === key) return newId()
    return field === 'createdAt' || field === 'lastModifiedAt' ? created : null
  }
  const values = columns.map(({ field, name, schema }) => [
    field,
    readValue(field, schema, given[field] ?? null) ?? assigned(field, name),
  ])
  return { ...Object.fromEntries(values), version: 1 }
}

const readValue = (field: string, schema: Schema, value: string | null) => {
  if ('zone' in schema) return instantInFile(field, value) ?? null
  return value === null && !isNullable(schema) ? (startingOf(schema) ?? null) : value
}

/** The unique values of a record. */
export const uniqueValues = (
  db: Database,
  { room, table, unique }: DeclaredTable,
  record: object,
): Unique[] =>
  Object.entries(unique).flatMap(([column, field]) => {
    const value = table.valueOf(column, record)
    if (value === null) return []
    const taken = sql`SELECT ${raw(quoted(table.key))} FROM ${raw(quoted(table.name))} WHERE ${raw(quoted(column))} = ${value}`
    return {
      by: field,
      value: String(value),
      isTaken: () => isInTable(db, taken),
      refusal: { code: 'Unique', target: field, args: { what: room } },
    }
  })

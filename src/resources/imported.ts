import { formatUtc, isShowable, parseInstant } from '#core/formats.ts'
import { bodyUnreadable, referenceMissing } from '#core/problem.ts'
import type { Database } from '#sql/database.ts'
import type { Entry } from '#sql/log.ts'
import { key, type Query, raw, sql } from '#sql/query.ts'
import { tableRecords } from '#sql/records.ts'
import type { Table } from '#sql/table.ts'
import type { Reference, RoomRecords, Unique } from './resource.ts'

/** The records of a resource with one table, without `read`. */
export const recordsOf = <T extends object>(
  db: Database,
  table: Table<T>,
  name: string,
  entryOf?: (record: T) => Entry,
): Omit<RoomRecords<T>, 'read'> => ({
  ...tableRecords(db, table, entryOf),
  name,
  shown: (record) => toFileRecord(table, record),
  unique: (record) => [uniqueId(db, table, record)],
  references: (record) => referencesIn(db, table, record),
})

/** A record as an export file holds it: without its version, and with instants as text. */
export const toFileRecord = <T extends object>(
  { columns }: Table<T>,
  record: T,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    columns
      .filter(({ field }) => field !== 'version')
      .map(({ field, schema }) => {
        const value = (record as Readonly<Record<string, unknown>>)[field]
        return [field, 'zone' in schema && value !== null ? formatUtc(Number(value)) : value]
      }),
  )

/** The instant that a field of an import file states. */
export const instantInFile = (target: string, text: string | null): number | undefined => {
  if (text === null) return undefined
  const found = parseInstant(text, 'UTC')
  if (found === undefined || !isShowable(found)) throw noTime(target)
  return found
}

/** The records that this one refers to. */
export const referencesIn = <T extends object>(db: Database, table: Table<T>, record: T) =>
  table.references.map((one) => referenceOf(db, one, { table, record }))

const referenceOf = <T extends object>(
  db: Database,
  { field, table: to, column }: Table['references'][number],
  { table, record }: { readonly table: Table<T>; readonly record: T },
): Reference => {
  const id = (record as Readonly<Record<string, string | null>>)[field] ?? null
  const known = sql`SELECT ${raw(column)} FROM ${raw(to)} WHERE ${raw(column)} = ${id}`
  return {
    isMissing: async () => id !== null && !(await isStored(db, known)),
    refusal: referenceMissing(field, to),
    ...(id !== null && to === table.name && { own: { by: keyField(table), value: id } }),
  }
}

const keyField = <T extends object>({ key: column, columns }: Table<T>) =>
  columns.find((one) => one.name === column)?.field ?? column

/** The id of a record, as a unique value. */
export const uniqueId = <T extends object>(db: Database, table: Table<T>, record: T): Unique => {
  const { name, key: column } = table
  const by = keyField(table)
  const value = String((record as Readonly<Record<string, unknown>>)[by])
  const known = sql`SELECT ${raw(column)} FROM ${raw(name)} WHERE ${raw(column)} = ${key(value)}`
  return {
    by,
    value,
    isTaken: () => isStored(db, known),
    refusal: { code: 'e.xx.fw.8002', text: `Another record has the same ${by}.`, target: by },
  }
}

export const isStored = async (db: Database, query: Query) => (await db.find(query, asFound)) ?? false

const asFound = () => true

const noTime = (target: string) =>
  bodyUnreadable({ code: 'WrongType', wording: 'WrongType.dateTime', target })

import { formatUtc, isShowable, parseInstant } from '#core/formats.ts'
import { bodyUnreadable } from '#core/problem.ts'
import { type Fields, isNullable, Nullable, type Schema, startingValueOf } from '#core/schema.ts'
import { ImportOf, type ObjectSchema } from '#core/shapes.ts'
import { type MakeLogEntry, serviceActor } from '#ledger/change-log.ts'
import type { Declaration, ShippedParts, StoredRecord } from '#resources/declaration.ts'
import type { FromFileContext, ResourceRecords } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import type { DeclaredTable } from '#sql/declared.ts'
import type { LogEntry } from '#sql/log-table.ts'
import { raw, sql } from '#sql/query.ts'
import { tableRecords } from '#sql/records.ts'
import { quoted, type Table } from '#sql/table.ts'
import { pluralOf } from './labels.ts'
import { hiddenFields, type Storage, type StoredRow, visibleFields } from './storage.ts'
import { checkedStatements } from './store.ts'

/** The schema of a record in an import file. */
export const fileSchemaOf = (declaration: Declaration, shipped?: ShippedParts): Schema & ObjectSchema => {
  const { name, fields } = declaration
  const hidden = shipped?.neverExportsHidden ? {} : hiddenFields(declaration, shipped)
  const allFields = { ...visibleFields(declaration, shipped), ...hidden }
  return withOptionalStartingFields(fields, ImportOf(name, fileFields(allFields)))
}

/** Lets a file omit fields that have a starting value. */
export const withOptionalStartingFields = <S extends ObjectSchema>(fields: Fields, schema: S): S => ({
  ...schema,
  required: schema.required.filter((field) => startingValueOf(fields[field]) === undefined),
  absentBecomes: 'startingValue',
})

/** In an import file, times are text, and a field with a starting value may be null. */
export const fileFields = (fields: Declaration['fields']): Declaration['fields'] =>
  Object.fromEntries(
    Object.entries(fields).map(([field, schema]) => {
      if ('readOnly' in schema) return [field, schema]
      const { zone: _, ...withoutZone } = schema
      return [
        field,
        startingValueOf(schema) === undefined || isNullable(schema) ? withoutZone : Nullable(withoutZone),
      ]
    }),
  )

/** The records of a declared resource, with conversions to and from their form in a file. */
export const declaredRecords =
  (declaration: Declaration, { table, declared, hidden }: Storage, shipped?: ShippedParts) =>
  (db: Database, makeLogEntry?: MakeLogEntry): ResourceRecords<StoredRow> => {
    const { name, fields } = declaration
    const idField = `${name}Id`
    const createdEntry =
      makeLogEntry &&
      ((record: StoredRow) => {
        const subject = String(record[idField])
        const change = { type: `${name}.created`, subject, version: 1, changed: Object.keys(fields) }
        return makeLogEntry(hidden.size > 0 ? change : { ...change, record }, serviceActor())
      })
    const withoutHidden = (record: object) =>
      shipped?.neverExportsHidden
        ? Object.fromEntries(Object.entries(record).filter(([field]) => !hidden.has(field)))
        : record
    return {
      ...recordsOf(db, declared, pluralOf(declaration), createdEntry),
      toFile: (record) => withoutHidden(toFileRecord(table, record)),
      async fromFile(body, context) {
        const record = readRecord(table, body as object, context)
        return shipped?.validateFromFile
          ? { ...record, ...shipped.validateFromFile(record as StoredRow & StoredRecord) }
          : record
      },
    }
  }

/** The records of a declared table, without the conversions for files. */
export const recordsOf = <T extends object>(
  db: Database,
  declared: DeclaredTable,
  name: string,
  entryOf?: (record: T) => LogEntry,
): Omit<ResourceRecords<T>, 'fromFile' | 'toFile'> => {
  const table = declared.table as Table<T>
  const { faults } = checkedStatements(declared)
  const byId = `SELECT 1 AS one FROM ${quoted(table.name)} WHERE ${quoted(table.key)} =`
  return {
    ...tableRecords(db, table, entryOf),
    name,
    async refusals(record) {
      const id = sql`${raw(byId)} ${table.valueOf(table.key, record)}`
      return (await db.read(id, () => true)).length > 0 ? undefined : faults(db, record)
    },
  }
}

/** Converts a record to its form in an export file: without the version, and with times as text. */
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

/** Converts a record from its form in a file. A missing id is generated, and missing times are the current time. */
export const readRecord = <T extends object>(
  { key, columns }: Table<T>,
  fileRecord: object,
  { newId, now }: Pick<FromFileContext, 'newId' | 'now'>,
): T => {
  const fileValues = fileRecord as Readonly<Record<string, string | null>>
  const created = readInstant('createdAt', fileValues.createdAt ?? null) ?? now
  const defaultFor = (field: string, column: string) => {
    if (column === key) return newId()
    return field === 'createdAt' || field === 'lastModifiedAt' ? created : null
  }
  const values = columns.map(({ field, name, schema }) => [
    field,
    readValue(field, schema, fileValues[field] ?? null) ?? defaultFor(field, name),
  ])
  return { ...Object.fromEntries(values), version: 1 }
}

const readValue = (field: string, schema: Schema, value: string | null) => {
  if ('zone' in schema) return readInstant(field, value) ?? null
  return value === null && !isNullable(schema) ? (startingValueOf(schema) ?? null) : value
}

/** Parses the time of a field. Throws a `Problem` if it is not a time. */
export const readInstant = (target: string, text: string | null): number | undefined => {
  if (text === null) return undefined
  const instant = parseInstant(text, 'UTC')
  if (instant !== undefined && isShowable(instant)) return instant
  throw bodyUnreadable({ code: 'WrongType', wording: 'WrongType.dateTime', target })
}

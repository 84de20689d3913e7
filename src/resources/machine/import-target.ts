import { fold } from '#core/fold.ts'
import { parseInstant } from '#core/formats.ts'
import { isId } from '#core/id.ts'
import type { Schema } from '#core/schema.ts'
import type { Declaration, ShippedParts } from '#resources/declaration.ts'
import type { ExistingRecord, ImportTarget, Values } from '#resources/import-target.ts'
import type { Database, Row } from '#sql/database.ts'
import type { DeclaredTable } from '#sql/declared.ts'
import { statement } from '#sql/query.ts'
import { quoted } from '#sql/table.ts'
import { fileSchemaOf, toFileRecord } from './records.ts'
import type { RecordService } from './service.ts'
import type { Storage, StoredRow } from './storage.ts'

export const importTargetOf = (
  declaration: Declaration,
  shipped: ShippedParts,
  { db, storage, service }: { db: Database; storage: Storage; service: RecordService },
): ImportTarget => {
  const { table, declared } = storage
  const id = `${declaration.name}Id`
  const schema = fileSchemaOf(declaration, shipped)
  const idOf = (record: object) => String((record as Values)[id])
  const matchFields = { [id]: idColumn(table.name, table.key), ...uniqueColumns(declared) }
  const select = `SELECT ${table.selected}`
  const values = (record: StoredRow) => toFileRecord(table, record)
  return {
    id,
    schema,
    fields: { [id]: schema.properties[id] ?? {}, ...declaration.fields },
    references: table.references,
    matchFields,
    matchValues: (input) => matchValuesIn(matchFields, input),
    find: recordFinder(db, matchFields, {
      select,
      from: quoted(table.name),
      make: table.toRecord,
      idOf,
      values,
    }),
    create: ({ [id]: chosenId, ...input }, by) =>
      service.create(input, { ...by, id: (chosenId as string | null) ?? undefined }),
    update: (recordId, input, by) => service.update(recordId, input, by),
    remove: (recordId, by) => service.remove(recordId, by),
    restore: (recordId, by) => service.restore(recordId, { ...by, expectedVersion: undefined }),
  }
}

/** A column by which an import can find existing records. */
export interface IdentifyingColumn {
  /** The qualified and quoted name of the column. */
  readonly column: string
  readonly isUnique: boolean
  /** The form in which the column stores the value. Undefined if no record can have this value. */
  folded(value: string): string | undefined
}

export const idColumn = (table: string, key: string): IdentifyingColumn => ({
  column: `${quoted(table)}.${quoted(key)}`,
  isUnique: true,
  folded: idOrUndefined,
})

/** Undefined for a text that is not an id, because a column of ids cannot contain it. */
const idOrUndefined = (text: string) => (isId(text) ? text : undefined)

export const uniqueColumns = ({
  table,
  unique,
}: DeclaredTable): Readonly<Record<string, IdentifyingColumn>> =>
  Object.fromEntries(
    Object.entries(unique).map(([column, field]) => {
      const isFolded = table.derived.includes(column)
      const schema = table.columns.find((one) => one.field === field)?.schema ?? {}
      const folded = (value: string) => (isFolded ? fold(value) : storedText(schema, value))
      return [field, { column: `${quoted(table.name)}.${quoted(column)}`, isUnique: true, folded }]
    }),
  )

/** The text under which a value is stored. Undefined if the column cannot contain the value. */
const storedText = (schema: Schema, value: string) => {
  if ('zone' in schema) return parseInstant(value, 'UTC')?.toString()
  if ('reference' in schema) return idOrUndefined(value)
  return schema.type?.includes('integer') && !/^-?\d{1,15}$/.test(value) ? undefined : value
}

export const matchValuesIn = (matchFields: Readonly<Record<string, IdentifyingColumn>>, input: Values) =>
  Object.fromEntries(
    Object.entries(matchFields).flatMap(([field, { folded }]) => {
      const value = input[field] ?? null
      const text = value === null ? undefined : folded(String(value))
      return text === undefined || text.includes('\0') ? [] : [[field, text]]
    }),
  )

interface FoundRecords<T> {
  readonly select: string
  readonly from: string
  readonly make: (row: Row) => T
  idOf(record: T): string
  values(record: T): Values
}

/** Returns a function that finds records by a field. Repeats the first value until there is a fixed number of values, so that all searches have the same SQL text. */
export const recordFinder = <T extends { readonly version: number }>(
  db: Database,
  matchFields: Readonly<Record<string, IdentifyingColumn>>,
  { select, from, make, idOf, values }: FoundRecords<T>,
) => {
  const toExisting = (row: Row): ExistingRecord => {
    const record = make(row)
    const { version } = record
    return { foundBy: String(row.found_by), id: idOf(record), version, values: values(record) }
  }
  return async (field: string, values: readonly string[]): Promise<readonly ExistingRecord[]> => {
    const { column } = matchFields[field] ?? {}
    const [first] = values
    if (column === undefined || first === undefined) return []
    const padded = [...values, ...Array(Math.max(0, findSize - values.length)).fill(first)]
    const placeholders = padded.map(() => '?').join(', ')
    const text = `${select}, ${column} AS found_by FROM ${from} WHERE ${column} IN (${placeholders})`
    return db.read(statement(text, padded, []), toExisting)
  }
}

const findSize = 50

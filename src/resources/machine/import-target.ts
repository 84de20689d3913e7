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
import type { Storage } from './storage.ts'

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
  return {
    id,
    schema,
    fields: { [id]: schema.properties[id] ?? {}, ...declaration.fields },
    references: table.references,
    matchFields,
    matchValues: (values) => matchValuesIn(matchFields, values),
    find: recordFinder(db, matchFields, {
      select: `SELECT ${table.selected}`,
      from: quoted(table.name),
      make: table.toRecord,
      idOf,
      toValues: (record) => toFileRecord(table, record),
    }),
    hasIndependentCreations: !declaration.rules?.create && !shipped.open,
    create: ({ [id]: chosenId, ...values }, call) =>
      service.create(values, { ...call, id: (chosenId as string | null) ?? undefined }),
    update: service.update,
    remove: service.remove,
    restore: (recordId, call) => service.restore(recordId, { ...call, expectedVersion: undefined }),
  }
}

/** A column by which an import can find existing records. */
export interface IdentifyingColumn {
  /** The qualified and quoted name of the column. */
  readonly column: string
  readonly isUnique: boolean
  /** The value as the column stores it. Undefined if no record can have this value. */
  toStored(value: string): string | undefined
}

export const idColumn = (table: string, key: string): IdentifyingColumn => ({
  column: `${quoted(table)}.${quoted(key)}`,
  isUnique: true,
  toStored: idOrUndefined,
})

/** A column of ids cannot contain another text. */
const idOrUndefined = (text: string) => (isId(text) ? text : undefined)

export const uniqueColumns = ({
  table,
  unique,
}: DeclaredTable): Readonly<Record<string, IdentifyingColumn>> =>
  Object.fromEntries(
    Object.entries(unique).map(([column, field]) => {
      const isFolded = table.derived.includes(column)
      const schema = table.columns.find((one) => one.field === field)?.schema ?? {}
      const toStored = (value: string) => (isFolded ? fold(value) : storedText(schema, value))
      return [field, { column: `${quoted(table.name)}.${quoted(column)}`, isUnique: true, toStored }]
    }),
  )

/** Undefined if the column cannot contain the value. */
const storedText = (schema: Schema, value: string) => {
  if ('zone' in schema) return parseInstant(value, 'UTC')?.toString()
  if ('reference' in schema) return idOrUndefined(value)
  return schema.type?.includes('integer') && !/^-?\d{1,15}$/.test(value) ? undefined : value
}

export const matchValuesIn = (matchFields: Readonly<Record<string, IdentifyingColumn>>, values: Values) =>
  Object.fromEntries(
    Object.entries(matchFields).flatMap(([field, { toStored }]) => {
      const value = values[field] ?? null
      const text = value === null ? undefined : toStored(String(value))
      return text === undefined || text.includes('\0') ? [] : [[field, text]]
    }),
  )

interface RecordQuery<T> {
  readonly select: string
  readonly from: string
  readonly make: (row: Row) => T
  idOf(record: T): string
  toValues(record: T): Values
}

/** Finds records by the values of a field. Repeats the first value up to a fixed number, so that all searches have the same SQL text. */
export const recordFinder = <T extends { readonly version: number }>(
  db: Database,
  matchFields: Readonly<Record<string, IdentifyingColumn>>,
  { select, from, make, idOf, toValues }: RecordQuery<T>,
) => {
  const toExisting = (row: Row): ExistingRecord => {
    const record = make(row)
    const { version } = record
    return { foundBy: String(row.found_by), id: idOf(record), version, values: toValues(record) }
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

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
import { importSchemaOf, toFileRecord } from './records.ts'
import type { RecordService } from './service.ts'
import type { Storage, StoredRow } from './storage.ts'

export const importTargetOf = (
  declaration: Declaration,
  shipped: ShippedParts,
  { db, storage, service }: { db: Database; storage: Storage; service: RecordService },
): ImportTarget => {
  const { table, declared } = storage
  const id = `${declaration.name}Id`
  const schema = importSchemaOf(declaration, shipped)
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
    find: finder(db, matchFields, { select, from: quoted(table.name), make: table.toRecord, idOf, values }),
    create: ({ [id]: given, ...input }, by) =>
      service.create(input, { ...by, id: (given as string | null) ?? undefined }),
    update: (one, input, asked) => service.update(one, input, asked),
    remove: (one, asked) => service.remove(one, asked),
    restore: (one, by) => service.restore(one, { ...by, expected: undefined }),
  }
}

/** A column that identifies records. */
export interface IdentifyingColumn {
  /** The column with its table. */
  readonly column: string
  readonly isUnique: boolean
  /** The value as the column holds it. Undefined if no record can have this value. */
  folded(value: string): string | undefined
}

export const idColumn = (table: string, key: string): IdentifyingColumn => ({
  column: `${quoted(table)}.${quoted(key)}`,
  isUnique: true,
  folded: idIn,
})

/** A column of ids cannot hold another text. */
const idIn = (text: string) => (isId(text) ? text : undefined)

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

/** The stored text of a value. Undefined if the column cannot hold it. */
const storedText = (schema: Schema, value: string) => {
  if ('zone' in schema) return parseInstant(value, 'UTC')?.toString()
  if ('reference' in schema) return idIn(value)
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

interface FinderParts<T> {
  readonly select: string
  readonly from: string
  readonly make: (row: Row) => T
  idOf(record: T): string
  values(record: T): Values
}

/** Finds records by one of their values. Pads the values, so that few different statements are prepared. */
export const finder = <T extends { readonly version: number }>(
  db: Database,
  matchFields: Readonly<Record<string, IdentifyingColumn>>,
  { select, from, make, idOf, values }: FinderParts<T>,
) => {
  const toExisting = (row: Row): ExistingRecord => {
    const record = make(row)
    const { version } = record
    return { foundBy: String(row.found_by), id: idOf(record), version, values: values(record) }
  }
  return async (field: string, wanted: readonly string[]): Promise<readonly ExistingRecord[]> => {
    const { column } = matchFields[field] ?? {}
    const [first] = wanted
    if (column === undefined || first === undefined) return []
    const padded = [...wanted, ...Array(Math.max(0, findSize - wanted.length)).fill(first)]
    const placeholders = padded.map(() => '?').join(', ')
    const text = `${select}, ${column} AS found_by FROM ${from} WHERE ${column} IN (${placeholders})`
    return db.read(statement(text, padded, []), toExisting)
  }
}

const findSize = 50

import { fold, foldForSearch } from '#core/fold.ts'
import { type Fields, Id, ReadOnly, type Schema, UtcTimestamp, Version } from '#core/schema.ts'
import type { Declaration, JoinedFields, ShippedParts } from '#resources/declaration.ts'
import type { RowMapper } from '#sql/database.ts'
import type { DeclaredTable } from '#sql/declared.ts'
import { quoted, type Table, table, toSnakeCase } from '#sql/table.ts'

export type StoredRow = Readonly<Record<string, unknown>> & {
  readonly createdAt: number
  readonly lastModifiedAt: number
  readonly version: number
}

/** Lists can search for a part of a free text. */
export const isFreeText = ({ type, format, codeList, zone }: Schema) =>
  zone === undefined &&
  codeList === undefined &&
  type?.includes('string') === true &&
  (format === undefined || format === 'idn-email')

const defaultServiceFields: Fields = {
  createdAt: ReadOnly(UtcTimestamp),
  lastModifiedAt: ReadOnly(UtcTimestamp),
}

/** The stored fields that answers show: the id, the declared fields, and those that only the service writes. */
export const visibleFields = (
  { name, fields }: Declaration,
  { serviceWritten = defaultServiceFields }: ShippedParts = {},
): Fields => ({ [`${name}Id`]: ReadOnly(Id), ...fields, ...serviceWritten })

/** All fields that answers show, including those of joined tables. */
export const answerFields = (declaration: Declaration, shipped: ShippedParts = {}): Fields => ({
  ...visibleFields(declaration, shipped),
  ...shipped.joinedFields?.fields,
})

/** The stored fields that no answer shows. */
export const hiddenFields = (declaration: Declaration, shipped: ShippedParts = {}): Fields => {
  const visible = visibleFields(declaration, shipped)
  return Object.fromEntries(
    Object.entries(shipped.storageFields ?? {}).filter(([field]) => !(field in visible)),
  )
}

export const tableNameOf = (resource: string) =>
  resource === 'key'
    ? { table: 'api_key', column: 'key_id' }
    : { table: toSnakeCase(resource), column: `${toSnakeCase(resource)}_id` }

/** The column that contains the folded text of a field, for searching. */
export const searchColumnOf = (field: string, shipped: ShippedParts = {}) =>
  shipped.searchColumns?.[field] ?? `${toSnakeCase(field)}__folded`

/** The column that makes the values of a field unique. */
export const uniqueColumnOf = (field: string, schema: Schema) =>
  isFreeText(schema) ? `${toSnakeCase(field)}__key` : toSnakeCase(field)

export interface Storage {
  readonly table: Table<StoredRow>
  readonly declared: DeclaredTable
  /** Reads records as answers show them: the columns, the FROM clause, and the function that makes a record of a row. */
  readonly readQuery: {
    readonly selected: string
    readonly from: string
    readonly make: RowMapper<StoredRow>
  }
  /** The stored fields that no answer shows. If there are any, the log keeps no values of the resource. */
  readonly hidden: ReadonlySet<string>
  /** The fields by which lists can be sorted. */
  readonly sortable: ReturnType<Table['sortable']>
}

/** When the service starts, it creates the table of the resource, or only the added columns if migrations made the table. */
export const storageOf = (declaration: Declaration, shipped?: ShippedParts): Storage => {
  const { name, fields } = declaration
  const visible = visibleFields(declaration, shipped)
  const stored: Fields = { ...visible, ...shipped?.storageFields, version: Version }
  const { derived, derivedFrom, unique } = derivedOf(fields, shipped)
  const managedFields = shipped && Object.keys(stored).filter((field) => 'added' in (stored[field] ?? {}))
  const storedTable: Table<object> = table<Fields>({
    name: tableNameOf(name).table,
    fields: stored,
    key: `${name}Id`,
    immutable: ['createdAt'],
    checksummedByName: managedFields ?? Object.keys(stored),
    ...(shipped?.addedByMigrations && { addedLater: shipped.addedByMigrations }),
    refersTo: referencesOf(fields),
    derived,
  })
  const records = storedTable as Table<StoredRow>
  return {
    table: records,
    readQuery: readQueryOf(records, [...Object.keys(visible), 'version'], shipped?.joinedFields),
    hidden: new Set(Object.keys(hiddenFields(declaration, shipped))),
    sortable: storedTable.sortable(
      shipped?.sortable ?? Object.keys(visible).filter((field) => !visible[field]?.type?.includes('array')),
    ),
    declared: {
      resource: name,
      table: storedTable,
      derivedFrom,
      unique,
      ...(managedFields && { managedFields }),
    },
  }
}

const readQueryOf = (
  stored: Table<StoredRow>,
  fields: readonly string[],
  joined?: JoinedFields,
): Storage['readQuery'] => {
  const { selected, toRecord } = stored.selection('', fields)
  if (!joined) return { selected, make: toRecord as RowMapper<StoredRow>, from: quoted(stored.name) }
  return {
    selected: `${selected}, ${joined.selected}`,
    from: joined.from,
    make: (row) => ({ ...(toRecord(row) as StoredRow), ...joined.toFields(row) }),
  }
}

/** The table and key column to which each reference leads, by field. */
export const referencesOf = (fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, { reference }]) =>
      reference === undefined ? [] : [[field, tableNameOf(reference)]],
    ),
  )

/** The columns derived from a text: one folded for searching, and for a `Unique` field one folded less, which must be unique. */
export const derivedOf = (fields: Fields, shipped?: ShippedParts) => {
  const derived: Record<string, (record: object) => string | null> = {}
  const derivedFrom: Record<string, string> = {}
  const unique: Record<string, string> = {}
  const derive = (column: string, field: string, foldText: (text: string) => string) => {
    derivedFrom[column] = field
    derived[column] = (record) => {
      const value = (record as Readonly<Record<string, unknown>>)[field]
      return typeof value === 'string' ? foldText(value) : null
    }
  }
  for (const [field, schema] of Object.entries(fields)) {
    if (isFreeText(schema) && !shipped?.isUnfiltered)
      derive(searchColumnOf(field, shipped), field, foldForSearch)
    if (!schema.unique) continue
    unique[uniqueColumnOf(field, schema)] = field
    if (isFreeText(schema)) derive(uniqueColumnOf(field, schema), field, fold)
  }
  return { derived, derivedFrom, unique }
}

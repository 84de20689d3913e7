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

/** Whether a field contains free text, so that lists can search for a part of the text. */
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
export const storedFields = (
  { name, fields }: Declaration,
  { serviceWritten = defaultServiceFields }: ShippedParts = {},
): Fields => ({ [`${name}Id`]: ReadOnly(Id), ...fields, ...serviceWritten })

export const shownFields = (declaration: Declaration, shipped: ShippedParts = {}): Fields => ({
  ...storedFields(declaration, shipped),
  ...shipped.joinedFields?.fields,
})

/** The stored fields that no answer shows. */
export const hiddenFields = (declaration: Declaration, shipped: ShippedParts = {}): Fields => {
  const shown = storedFields(declaration, shipped)
  return Object.fromEntries(
    Object.entries(shipped.storageFields ?? {}).filter(([field]) => !(field in shown)),
  )
}

export const tableNameOf = (resource: string) =>
  resource === 'key'
    ? { table: 'api_key', column: 'key_id' }
    : { table: toSnakeCase(resource), column: `${toSnakeCase(resource)}_id` }

/** The name of the column that contains the folded text of a field, for searching. */
export const searchColumnOf = (field: string, shipped: ShippedParts = {}) =>
  shipped.searchColumns?.[field] ?? `${toSnakeCase(field)}__folded`
/** The name of the column that makes the values of a field unique. */
export const uniqueColumnOf = (field: string, schema: Schema) =>
  isFreeText(schema) ? `${toSnakeCase(field)}__key` : toSnakeCase(field)

export interface Storage {
  readonly table: Table<StoredRow>
  readonly declared: DeclaredTable
  /** For reading records as answers show them: the columns, the FROM clause, and the function that makes a record from a row. */
  readonly shown: { readonly selected: string; readonly from: string; readonly make: RowMapper<StoredRow> }
  /** The stored fields that no answer shows. If there are any, the log keeps no values of the resource. */
  readonly hidden: ReadonlySet<string>
  /** The fields by which lists can be sorted. */
  readonly sortable: ReturnType<Table['sortable']>
}

/** The table of a resource. At its start, the service creates the whole table, or, if migrations made the table, only the added columns. */
export const storageOf = (declaration: Declaration, shipped?: ShippedParts): Storage => {
  const { name, fields } = declaration
  const shown = storedFields(declaration, shipped)
  const stored: Fields = { ...shown, ...shipped?.storageFields, version: Version }
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
  return {
    table: storedTable as Table<StoredRow>,
    shown: shownColumns(
      storedTable as Table<StoredRow>,
      [...Object.keys(shown), 'version'],
      shipped?.joinedFields,
    ),
    hidden: new Set(Object.keys(hiddenFields(declaration, shipped))),
    sortable: storedTable.sortable(
      shipped?.sortable ?? Object.keys(shown).filter((field) => !shown[field]?.type?.includes('array')),
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

const shownColumns = (
  stored: Table<StoredRow>,
  fields: readonly string[],
  joined?: JoinedFields,
): Storage['shown'] => {
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

/** The columns that are derived from texts: one folded for searching, and for `Unique` fields one folded less, which must be unique. */
export const derivedOf = (fields: Fields, shipped?: ShippedParts) => {
  const derived: Record<string, (record: object) => string | null> = {}
  const derivedFrom: Record<string, string> = {}
  const unique: Record<string, string> = {}
  const derive = (column: string, field: string, by: (text: string) => string) => {
    derivedFrom[column] = field
    derived[column] = (record) => {
      const value = (record as Readonly<Record<string, unknown>>)[field]
      return typeof value === 'string' ? by(value) : null
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

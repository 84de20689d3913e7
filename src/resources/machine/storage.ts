import { fold, foldForSearch } from '#core/fold.ts'
import { type Fields, Id, ReadOnly, type Schema, UtcTimestamp, Version } from '#core/schema.ts'
import type { Declaration, Shipped, StoredRecord, UnversionedFields } from '#resources/declaration.ts'
import type { Make } from '#sql/database.ts'
import type { DeclaredTable } from '#sql/declared.ts'
import { quoted, snake, type Table, table } from '#sql/table.ts'

export type StoredRow = Readonly<Record<string, unknown>> & {
  readonly createdAt: number
  readonly lastModifiedAt: number
  readonly version: number
}

/** Whether a field is text that people write, so that lists can search a part of it. */
export const isSearchedText = ({ type, format, codeList, zone }: Schema) =>
  zone === undefined &&
  codeList === undefined &&
  type?.includes('string') === true &&
  (format === undefined || format === 'idn-email')

const bothTimes: Fields = { createdAt: ReadOnly(UtcTimestamp), lastModifiedAt: ReadOnly(UtcTimestamp) }

/** The shown fields of the table: the id, the declared fields, and those that only the service writes. */
export const storedFields = ({ name, fields }: Declaration, { written = bothTimes }: Own = {}): Fields => ({
  [`${name}Id`]: ReadOnly(Id),
  ...fields,
  ...written,
})

export const shownFields = (declaration: Declaration, own: Own = {}): Fields => ({
  ...storedFields(declaration, own),
  ...own.unversioned?.fields,
})

/** The stored fields that nobody is shown. */
export const hiddenFields = (declaration: Declaration, own: Own = {}): Fields => {
  const shown = storedFields(declaration, own)
  return Object.fromEntries(Object.entries(own.stored ?? {}).filter(([field]) => !(field in shown)))
}

export type Own = Shipped<StoredRecord>

export const tableNameOf = (resource: string) =>
  resource === 'key'
    ? { table: 'api_key', column: 'key_id' }
    : { table: snake(resource), column: `${snake(resource)}_id` }

/** The folded column for searching a text, and the column for its uniqueness. */
export const searchColumnOf = (field: string, own: Own = {}) =>
  own.foundBy?.[field] ?? `${snake(field)}__folded`
export const uniqueColumnOf = (field: string, schema: Schema) =>
  isSearchedText(schema) ? `${snake(field)}__key` : snake(field)

export interface Storage {
  readonly table: Table<StoredRow>
  readonly declared: DeclaredTable
  /** The tables to read from, and how a row becomes a record. */
  readonly shown: { readonly selected: string; readonly from: string; readonly make: Make<StoredRow> }
  /** The fields that nobody is shown. If a resource has some, the log keeps no values of it. */
  readonly hidden: ReadonlySet<string>
  /** The fields that records can be sorted by: those that are shown and have a single value. */
  readonly sortable: ReturnType<Table['sortable']>
}

/** The table of a resource, and the columns that the start creates: all of them, unless migrations made the table. */
export const storageOf = (declaration: Declaration, own?: Own): Storage => {
  const { name, fields } = declaration
  const shown = storedFields(declaration, own)
  const stored: Fields = { ...shown, ...own?.stored, version: Version }
  const { derived, derivedFrom, unique } = derivedOf(fields, own)
  const added = own && Object.keys(stored).filter((field) => 'added' in (stored[field] ?? {}))
  const made: Table<object> = table<Fields>({
    name: tableNameOf(name).table,
    fields: stored,
    key: `${name}Id`,
    fixed: ['createdAt'],
    named: added ?? Object.keys(stored),
    ...(own?.addedLater && { addedLater: own.addedLater }),
    refersTo: referencesOf(fields),
    derived,
  })
  return {
    table: made as Table<StoredRow>,
    shown: shownColumns(made as Table<StoredRow>, [...Object.keys(shown), 'version'], own?.unversioned),
    hidden: new Set(Object.keys(hiddenFields(declaration, own))),
    sortable: made.sortable(
      own?.sortable ?? Object.keys(shown).filter((field) => !shown[field]?.type?.includes('array')),
    ),
    declared: { room: name, table: made, derivedFrom, unique, ...(added && { added }) },
  }
}

const shownColumns = (
  stored: Table<StoredRow>,
  fields: readonly string[],
  joined?: UnversionedFields,
): Storage['shown'] => {
  const { selected, make } = stored.selection('', fields)
  if (!joined) return { selected, make: make as Make<StoredRow>, from: quoted(stored.name) }
  return {
    selected: `${selected}, ${joined.selected}`,
    from: joined.from,
    make: (row) => ({ ...(make(row) as StoredRow), ...joined.make(row) }),
  }
}

/** The table and key that each reference leads to, by field. */
export const referencesOf = (fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, { reference }]) =>
      reference === undefined ? [] : [[field, tableNameOf(reference)]],
    ),
  )

/** The columns derived from texts: one folded for searching, one folded less for uniqueness. */
export const derivedOf = (fields: Fields, own?: Own) => {
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
    if (isSearchedText(schema) && !own?.isUnfiltered) derive(searchColumnOf(field, own), field, foldForSearch)
    if (!schema.unique) continue
    unique[uniqueColumnOf(field, schema)] = field
    if (isSearchedText(schema)) derive(uniqueColumnOf(field, schema), field, fold)
  }
  return { derived, derivedFrom, unique }
}

import { fold, foldForSearch } from '#core/fold.ts'
import { type Fields, Id, ReadOnly, type Schema, UtcTimestamp, Version } from '#core/schema.ts'
import type { Declaration, Shipped, StoredRecord } from '#resources/declaration.ts'
import type { DeclaredTable } from '#sql/declared.ts'
import { snake, type Table, table } from '#sql/table.ts'

export type StoredRow = Readonly<Record<string, unknown>> & {
  readonly createdAt: number
  readonly lastModifiedAt: number
  readonly version: number
}

/** The keywords by which a field is stored and found. */
export interface Keywords extends Schema {
  readonly reference?: string
  readonly onDelete?: 'refuse' | 'cascade'
  readonly unique?: true
  readonly codeList?: string
  readonly 'x-extensible-enum'?: readonly string[]
  readonly format?: string
  readonly zone?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly isHash?: true
}

/** Text that people write, and find by a part of it. */
export const isFound = ({ type, format, codeList, zone }: Keywords) =>
  zone === undefined &&
  codeList === undefined &&
  type?.includes('string') === true &&
  (format === undefined || format === 'idn-email')

const bothTimes: Fields = { createdAt: ReadOnly(UtcTimestamp), lastModifiedAt: ReadOnly(UtcTimestamp) }

/** What a resource stores: its fields between the id and the times. */
export const storedFields = ({ name, fields }: Declaration, { times = bothTimes }: Own = {}): Fields => ({
  [`${name}Id`]: ReadOnly(Id),
  ...fields,
  ...times,
})

export type Own = Shipped<StoredRecord>

/** The table and the key of each resource. */
export const placeOf = (resource: string) =>
  resource === 'key'
    ? { table: 'api_key', column: 'key_id' }
    : { table: snake(resource), column: `${snake(resource)}_id` }

/** The column by which a text is found, and the one that no two records share. */
export const foundBy = (field: string, own: Own = {}) => own.foundBy?.[field] ?? `${snake(field)}__folded`
export const sharedBy = (field: string, schema: Keywords) =>
  isFound(schema) ? `${snake(field)}__key` : snake(field)

export interface Storage {
  readonly table: Table<StoredRow>
  readonly declared: DeclaredTable
}

/** The table of a resource, and the columns that the start makes: all, unless migrations made the table. */
export const storageOf = (declaration: Declaration, own?: Own): Storage => {
  const { name, fields } = declaration
  const stored = { ...storedFields(declaration, own), version: Version }
  const { derived, derivedFrom, unique } = derivedOf(fields, own)
  const added = own && Object.keys(fields).filter((field) => 'added' in (fields[field] ?? {}))
  const made: Table<object> = table<Fields>({
    name: placeOf(name).table,
    fields: stored,
    key: `${name}Id`,
    fixed: ['createdAt'],
    named: added ?? Object.keys(stored),
    refersTo: referencesOf(fields),
    derived,
  })
  return {
    table: made as Table<StoredRow>,
    declared: { room: name, table: made, derivedFrom, unique, ...(added && { added }) },
  }
}

/** By field, the table and key that it refers to. */
export const referencesOf = (fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, { reference }]: [string, Keywords]) =>
      reference === undefined ? [] : [[field, placeOf(reference)]],
    ),
  )

/** The columns that follow from texts: folded to be found, and folded less to be unique. */
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
  for (const [field, schema] of Object.entries(fields) as [string, Keywords][]) {
    if (isFound(schema)) derive(foundBy(field, own), field, foldForSearch)
    if (!schema.unique) continue
    unique[sharedBy(field, schema)] = field
    if (isFound(schema)) derive(sharedBy(field, schema), field, fold)
  }
  return { derived, derivedFrom, unique }
}

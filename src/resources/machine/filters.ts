import { foldForSearch } from '#core/fold.ts'
import { isNullable, type Schema } from '#core/schema.ts'
import {
  choiceParameter,
  comparing,
  dateParameter,
  type Filter,
  flagParameter,
  idParameter,
  instantParameter,
  integerParameter,
  textParameter,
} from '#http/api/query.ts'
import type { Declaration, ShippedParts } from '#resources/declaration.ts'
import { and, type Selection } from '#sql/listing.ts'
import { containing, empty, join, type Query, raw, sql, type Value } from '#sql/query.ts'
import { quoted, toSnakeCase } from '#sql/table.ts'
import { asLabel, pluralOf } from './labels.ts'
import { isSearchedText, type Storage, searchColumnOf, storedFields, tableNameOf } from './storage.ts'

/** A filter, and its condition in SQL. */
interface Condition {
  readonly parameter: Filter[string]
  where(value: never): Query
}

export type Conditions = Readonly<Record<string, Condition>>

const maxSearchLength = 256

/** The filters that the kinds of the fields imply. */
export const fieldConditions = (
  declaration: Declaration,
  shipped: ShippedParts,
  timeZone: string,
): Conditions => {
  const { name, fields } = declaration
  const [many, place, find] = [asLabel(pluralOf(declaration)), columnIn(name), containingIn(name, shipped)]
  const found = Object.entries(fields).flatMap(([field, schema]) => {
    const filtered = { field, name: shipped.filterNames?.[field] ?? field, many, place, find }
    const conditions = [...conditionsFor(filtered, schema, timeZone), ...nullCondition(filtered, schema)]
    return conditions.map(
      ([name, { parameter, where }]) => [name, { parameter: comparing([field], parameter), where }] as const,
    )
  })
  return Object.fromEntries(found)
}

/** All filters of a resource. */
export const conditionsOf = (
  declaration: Declaration,
  shipped: ShippedParts,
  timeZone: string,
): Conditions => {
  if (shipped.isUnfiltered) return {}
  const { name, fields } = declaration
  const [many, place, find] = [asLabel(pluralOf(declaration)), columnIn(name), containingIn(name, shipped)]
  const texts = Object.keys(fields).filter((field) => isSearchedText(fields[field] ?? {}))
  const q: Condition = {
    parameter: textParameter(
      `${many} of which these fields contain each word of this text, ignoring case, width and accents: ${texts.join(', ')}.`,
      maxSearchLength,
    ),
    where: (text: string) =>
      and(
        searchWords(text).map((word) => {
          const places = texts.map((field) => find(field, word))
          return sql`(${join(places, ' OR ')})`
        }),
      ),
  }
  const stored = storedFields(declaration, shipped)
  const times = [
    ...rangeOf('created', place('created_at'), 'Created', instant(timeZone)),
    ...(stored.lastModifiedAt === undefined
      ? []
      : rangeOf('modified', place('last_modified_at'), 'Last modified', instant(timeZone))),
  ]
  return {
    ...fieldConditions(declaration, shipped, timeZone),
    ...(texts.length > 0 && { q }),
    ...Object.fromEntries(times),
  }
}

/** How many words of a search text are used. Further words are ignored. */
const maxWords = 8

/** The words of a search text, which may be found in any order. */
export const searchWords = (text: string): readonly string[] =>
  text.trim() === '' ? [text] : [...new Set(text.trim().split(/\s+/))].slice(0, maxWords)

interface FilteredField {
  readonly field: string
  /** The name of the parameter. */
  readonly name: string
  readonly many: string
  /** Qualifies a column with its table. */
  readonly place: (column: string) => string
  readonly find: (field: string, text: string) => Query
}

const conditionsFor = (
  { field, name, many, place, find }: FilteredField,
  schema: Schema,
  timeZone: string,
): readonly (readonly [string, Condition])[] => {
  const {
    reference,
    codeList,
    'x-extensible-enum': codes = [],
    zone,
    format,
    type,
    minimum,
    maximum,
  } = schema
  const column = raw(place(toSnakeCase(field)))
  const equals = (parameter: Filter[string]): readonly [string, Condition][] => [
    [name, { parameter, where: (value: Value) => sql`${column} = ${value}` }],
  ]
  const words = `${many} with this \`${field}\`.`
  if (schema.isHash) return []
  if (codeList !== undefined) return equals(choiceParameter(words, codes))
  if (reference !== undefined || format === 'uuid') return equals(idParameter(words))
  if (type?.includes('boolean')) return equals(flagParameter(words))
  if (zone !== undefined)
    return rangeOf(name, place(toSnakeCase(field)), `\`${field}\` is`, instant(timeZone))
  if (format === 'date')
    return rangeOf(name, place(toSnakeCase(field)), `\`${field}\` is`, (says) => dateParameter(says))
  if (type?.includes('integer'))
    return equals(
      integerParameter(words, {
        minimum: minimum ?? Number.MIN_SAFE_INTEGER,
        maximum: maximum ?? Number.MAX_SAFE_INTEGER,
      }),
    )
  if (!isSearchedText(schema)) return []
  const says = `${many} whose \`${field}\` contains this text, ignoring case, width and accents.`
  return [
    [
      name,
      {
        parameter: textParameter(says, schema.maxLength ?? maxSearchLength),
        where: (text: string) => find(field, text),
      },
    ],
  ]
}

/** The filter by whether a field is null, such as `returnedOnIsNull=true` for open loans. */
const nullCondition = (
  { field, name, many, place }: FilteredField,
  schema: Schema,
): readonly (readonly [string, Condition])[] => {
  if (!isNullable(schema) || schema.isHash) return []
  const column = raw(place(toSnakeCase(field)))
  const parameter = flagParameter(`${many} whose \`${field}\` is null (true), or is not (false).`)
  const where = (isNull: boolean) => (isNull ? sql`${column} IS NULL` : sql`${column} IS NOT NULL`)
  return [[`${name}IsNull`, { parameter, where }]]
}

const columnIn = (resource: string) => (column: string) =>
  `${quoted(tableNameOf(resource).table)}.${quoted(column)}`

const containingIn = (resource: string, shipped: ShippedParts) => (field: string, text: string) =>
  containing(columnIn(resource)(searchColumnOf(field, shipped)), foldForSearch(text))

const instant = (timeZone: string) => (says: string) => instantParameter(says, timeZone)

/** Two filters: from a value on, and before a value. */
const rangeOf = (
  name: string,
  column: string,
  what: string,
  parameterOf: (says: string) => Filter[string],
): readonly (readonly [string, Condition])[] => [
  [
    `${name}From`,
    {
      parameter: parameterOf(`${what} at this time or later.`),
      where: (value: Value) => sql`${raw(column)} >= ${value}`,
    },
  ],
  [
    `${name}To`,
    {
      parameter: parameterOf(`${what} before this time.`),
      where: (value: Value) => sql`${raw(column)} < ${value}`,
    },
  ],
]

export const filterOf = (conditions: Conditions): Filter =>
  Object.fromEntries(Object.entries(conditions).map(([name, { parameter }]) => [name, parameter]))

export const whereOf = (conditions: Conditions, filter: object): Query => {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  return and(given.map(([name, value]) => conditions[name]?.where(value as never) ?? empty))
}

export const selectionBy = (conditions: Conditions, { table, shown }: Storage) => {
  const everything = {
    select: raw(`SELECT ${shown.selected}`),
    from: raw(shown.from),
    count: raw(`SELECT count(*) AS total FROM ${quoted(table.name)}`),
    position: `${quoted(table.name)}.${quoted(table.key)}`,
  }
  return (filter: object): Selection => {
    const where = whereOf(conditions, filter)
    return { ...everything, where, isIndexed: where === empty }
  }
}

import { foldForSearch } from '#core/fold.ts'
import { isNullable, type Schema } from '#core/schema.ts'
import {
  choiceParameter,
  dateParameter,
  type Filter,
  flagParameter,
  idParameter,
  instantParameter,
  integerParameter,
  textParameter,
  withComparedFields,
} from '#http/api/query.ts'
import type { Declaration, ShippedParts } from '#resources/declaration.ts'
import { and, type Selection } from '#sql/listing.ts'
import { containing, empty, join, type Query, raw, sql, type Value } from '#sql/query.ts'
import { quoted, toSnakeCase } from '#sql/table.ts'
import { asLabel, pluralOf } from './labels.ts'
import { isFreeText, type Storage, searchColumnOf, tableNameOf, visibleFields } from './storage.ts'

/** A query parameter that filters a list, and the SQL condition for its value. */
interface Condition {
  readonly parameter: Filter[string]
  where(value: never): Query
}

export type Conditions = Readonly<Record<string, Condition>>

const maxSearchLength = 256

/** The filters for the declared fields, which follow from their schemas. */
export const fieldConditions = (
  declaration: Declaration,
  shipped: ShippedParts,
  timeZone: string,
): Conditions => {
  const { name, fields } = declaration
  const plural = asLabel(pluralOf(declaration))
  const [columnOf, contains] = [columnsOf(name), containsIn(name, shipped)]
  const namedConditions = Object.entries(fields).flatMap(([field, schema]) => {
    const filtered = { field, name: shipped.filterNames?.[field] ?? field, plural, columnOf, contains }
    const conditions = [...conditionsOfField(filtered, schema, timeZone), ...nullConditions(filtered, schema)]
    return conditions.map(
      ([name, { parameter, where }]) =>
        [name, { parameter: withComparedFields([field], parameter), where }] as const,
    )
  })
  return Object.fromEntries(namedConditions)
}

/** All filters of a resource: those of its fields, of its times, and the text search `q`. */
export const conditionsOf = (
  declaration: Declaration,
  shipped: ShippedParts,
  timeZone: string,
): Conditions => {
  if (shipped.isUnfiltered) return {}
  const { name, fields } = declaration
  const plural = asLabel(pluralOf(declaration))
  const [columnOf, contains] = [columnsOf(name), containsIn(name, shipped)]
  const textFields = Object.keys(fields).filter((field) => isFreeText(fields[field] ?? {}))
  const q: Condition = {
    parameter: textParameter(
      `${plural} in which each word of this text occurs in one of these fields, ignoring case, width and accents: ${textFields.join(', ')}.`,
      maxSearchLength,
    ),
    where: (text: string) =>
      and(
        searchWords(text).map((word) => {
          const matches = textFields.map((field) => contains(field, word))
          return sql`(${join(matches, ' OR ')})`
        }),
      ),
  }
  const { lastModifiedAt } = visibleFields(declaration, shipped)
  const times = [
    ...rangeConditions('created', columnOf('created_at'), 'Created', timeParameter(timeZone)),
    ...(lastModifiedAt === undefined
      ? []
      : rangeConditions('modified', columnOf('last_modified_at'), 'Last modified', timeParameter(timeZone))),
  ]
  return {
    ...fieldConditions(declaration, shipped, timeZone),
    ...(textFields.length > 0 && { q }),
    ...Object.fromEntries(times),
  }
}

/** Further words of a search text are ignored. */
const maxWords = 8

/** The words of a search text. A record matches if it contains them in any order. */
export const searchWords = (text: string): readonly string[] =>
  text.trim() === '' ? [text] : [...new Set(text.trim().split(/\s+/))].slice(0, maxWords)

interface FilteredField {
  readonly field: string
  /** The name of the query parameter. */
  readonly name: string
  readonly plural: string
  /** Qualifies and quotes the name of a column. */
  readonly columnOf: (column: string) => string
  readonly contains: (field: string, text: string) => Query
}

const conditionsOfField = (
  { field, name, plural, columnOf, contains }: FilteredField,
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
  const column = raw(columnOf(toSnakeCase(field)))
  const equals = (parameter: Filter[string]): readonly [string, Condition][] => [
    [name, { parameter, where: (value: Value) => sql`${column} = ${value}` }],
  ]
  const description = `${plural} with this \`${field}\`.`
  if (schema.isHash) return []
  if (codeList !== undefined) return equals(choiceParameter(description, codes))
  if (reference !== undefined || format === 'uuid') return equals(idParameter(description))
  if (type?.includes('boolean')) return equals(flagParameter(description))
  if (zone !== undefined)
    return rangeConditions(name, columnOf(toSnakeCase(field)), `\`${field}\` is`, timeParameter(timeZone))
  if (format === 'date')
    return rangeConditions(name, columnOf(toSnakeCase(field)), `\`${field}\` is`, dateParameter)
  if (type?.includes('integer'))
    return equals(
      integerParameter(description, {
        minimum: minimum ?? Number.MIN_SAFE_INTEGER,
        maximum: maximum ?? Number.MAX_SAFE_INTEGER,
      }),
    )
  if (!isFreeText(schema)) return []
  const textDescription = `${plural} whose \`${field}\` contains this text, ignoring case, width and accents.`
  const parameter = textParameter(textDescription, schema.maxLength ?? maxSearchLength)
  return [[name, { parameter, where: (text: string) => contains(field, text) }]]
}

/** The filter by whether a field is null, such as `returnedOnIsNull=true` for open loans. */
const nullConditions = (
  { field, name, plural, columnOf }: FilteredField,
  schema: Schema,
): readonly (readonly [string, Condition])[] => {
  if (!isNullable(schema) || schema.isHash) return []
  const column = raw(columnOf(toSnakeCase(field)))
  const parameter = flagParameter(`${plural} whose \`${field}\` is null (true), or is not (false).`)
  const where = (isNull: boolean) => (isNull ? sql`${column} IS NULL` : sql`${column} IS NOT NULL`)
  return [[`${name}IsNull`, { parameter, where }]]
}

const columnsOf = (resource: string) => (column: string) =>
  `${quoted(tableNameOf(resource).table)}.${quoted(column)}`

const containsIn = (resource: string, shipped: ShippedParts) => (field: string, text: string) =>
  containing(columnsOf(resource)(searchColumnOf(field, shipped)), foldForSearch(text))

const timeParameter = (timeZone: string) => (description: string) => instantParameter(description, timeZone)

/** Two filters: by values from the given one on, and by values before it. */
const rangeConditions = (
  name: string,
  column: string,
  subject: string,
  parameterOf: (description: string) => Filter[string],
): readonly (readonly [string, Condition])[] => [
  [
    `${name}From`,
    {
      parameter: parameterOf(`${subject} at this time or later.`),
      where: (value: Value) => sql`${raw(column)} >= ${value}`,
    },
  ],
  [
    `${name}To`,
    {
      parameter: parameterOf(`${subject} before this time.`),
      where: (value: Value) => sql`${raw(column)} < ${value}`,
    },
  ],
]

export const filterOf = (conditions: Conditions): Filter =>
  Object.fromEntries(Object.entries(conditions).map(([name, { parameter }]) => [name, parameter]))

export const whereOf = (conditions: Conditions, filter: object): Query => {
  const usedFilters = Object.entries(filter).filter(([, value]) => value !== undefined)
  return and(usedFilters.map(([name, value]) => conditions[name]?.where(value as never) ?? empty))
}

export const selectionsOf = (conditions: Conditions, { table, readQuery }: Storage) => {
  const allRecords = {
    select: raw(`SELECT ${readQuery.selected}`),
    from: raw(readQuery.from),
    count: raw(`SELECT count(*) AS total FROM ${quoted(table.name)}`),
    position: `${quoted(table.name)}.${quoted(table.key)}`,
  }
  return (filter: object): Selection => {
    const where = whereOf(conditions, filter)
    return { ...allRecords, where, isIndexed: where === empty }
  }
}

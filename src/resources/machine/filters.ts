import { foldForSearch } from '#core/fold.ts'
import { isId } from '#core/id.ts'
import {
  choiceParameter,
  dateParameter,
  type Filter,
  flagParameter,
  instantParameter,
  integerParameter,
  textParameter,
} from '#http/api/query.ts'
import type { Declaration } from '#resources/declaration.ts'
import { and, type Selection } from '#sql/listing.ts'
import { containing, empty, join, type Query, raw, sql, type Value } from '#sql/query.ts'
import { quoted, snake } from '#sql/table.ts'
import { spoken } from './labels.ts'
import { foundBy, isFound, type Keywords, type Own, type Storage, storedFields } from './storage.ts'

/** A filter, and the condition that its value makes. */
interface Condition {
  readonly parameter: Filter[string]
  where(value: never): Query
}

export type Conditions = Readonly<Record<string, Condition>>

const maxSearchLength = 256
const maxIdLength = 36

/** The filters that follow from the kinds of the fields. */
export const conditionsOf = (declaration: Declaration, own: Own, timeZone: string): Conditions => {
  const { name, plural = `${name}s`, fields } = declaration
  const many = spoken(plural)
  const find = finding(own)
  const found = Object.entries(fields).flatMap(([field, schema]) =>
    conditionsFor({ field, name: own.filters?.[field] ?? field, many, find }, schema, timeZone),
  )
  const texts = Object.keys(fields).filter((field) => isFound(fields[field] ?? {}))
  const q: Condition = {
    parameter: textParameter(
      `${many} of which one of these fields contains this text, ignoring case, width and accents: ${texts.join(', ')}.`,
      maxSearchLength,
    ),
    where: (text: string) =>
      sql`(${join(
        texts.map((field) => find(field, text)),
        ' OR ',
      )})`,
  }
  const stored = storedFields(declaration, own)
  const times = [
    ...rangeOf('created', 'created_at', 'Created', instant(timeZone)),
    ...(stored.lastModifiedAt === undefined
      ? []
      : rangeOf('modified', 'last_modified_at', 'Last modified', instant(timeZone))),
  ]
  return Object.fromEntries([...found, ...(texts.length > 0 ? [['q', q] as const] : []), ...times])
}

interface Found {
  readonly field: string
  /** Of the parameter. */
  readonly name: string
  readonly many: string
  readonly find: (field: string, text: string) => Query
}

const conditionsFor = (
  { field, name, many, find }: Found,
  schema: Keywords,
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
  const column = raw(quoted(snake(field)))
  const equals = (parameter: Filter[string]): readonly [string, Condition][] => [
    [name, { parameter, where: (value: Value) => sql`${column} = ${value}` }],
  ]
  const words = `${many} with this \`${field}\`.`
  if (schema.isHash) return []
  if (codeList !== undefined) return equals(choiceParameter(words, codes))
  if (reference !== undefined || format === 'uuid') {
    const where = (id: string) => (isId(id) ? sql`${column} = ${id}` : sql`1 = 0`)
    return [[name, { parameter: textParameter(words, maxIdLength), where }]]
  }
  if (type?.includes('boolean')) return equals(flagParameter(words))
  if (zone !== undefined) return rangeOf(name, snake(field), `\`${field}\` is`, instant(timeZone))
  if (format === 'date') return rangeOf(name, snake(field), `\`${field}\` is`, (says) => dateParameter(says))
  if (type?.includes('integer'))
    return equals(
      integerParameter(words, {
        minimum: minimum ?? Number.MIN_SAFE_INTEGER,
        maximum: maximum ?? Number.MAX_SAFE_INTEGER,
      }),
    )
  if (!isFound(schema)) return []
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

const finding = (own: Own) => (field: string, text: string) =>
  containing(quoted(foundBy(field, own)), foldForSearch(text))

const instant = (timeZone: string) => (says: string) => instantParameter(says, timeZone)

/** From a value on, and before one. */
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
      where: (value: Value) => sql`${raw(quoted(column))} >= ${value}`,
    },
  ],
  [
    `${name}To`,
    {
      parameter: parameterOf(`${what} before this time.`),
      where: (value: Value) => sql`${raw(quoted(column))} < ${value}`,
    },
  ],
]

export const filterOf = (conditions: Conditions): Filter =>
  Object.fromEntries(Object.entries(conditions).map(([name, { parameter }]) => [name, parameter]))

/** The rows that a filter selects. */
export const selecting = (conditions: Conditions, { table }: Storage) => {
  const everything = {
    select: raw(`SELECT ${table.selected}`),
    from: raw(quoted(table.name)),
    count: raw(`SELECT count(*) AS total FROM ${quoted(table.name)}`),
    position: quoted(table.key),
  }
  return (filter: object): Selection => {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined)
    const where = and(given.map(([name, value]) => conditions[name]?.where(value as never) ?? empty))
    return { ...everything, where, isIndexed: where === empty }
  }
}

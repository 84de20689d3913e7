import type { Instant } from './clock.ts'
import type { ResponseJson } from './json-types.ts'

/**
 * A JSON Schema with three properties that exist only in types: the type of the values, the type of their JSON, and how lists
 * filter by them. Their names are strings, because the client package has a copy of these types, and symbols would not match.
 */
export interface Schema<T = unknown, J = T, By = unknown> extends SchemaKeywords {
  readonly '~value'?: T
  readonly '~json'?: J
  readonly '~by'?: By
}

/** The properties that decide how values are validated, stored, found and shown. */
interface SchemaKeywords {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly codeList?: string
  readonly 'x-extensible-enum'?: readonly string[]
  readonly zone?: 'utc' | 'local'
  readonly past?: true
  readonly plain?: true
  readonly reference?: string
  readonly onDelete?: 'refuse' | 'cascade'
  readonly unique?: true
  readonly isHash?: true
  readonly example?: unknown
}

export type ValueOf<S> = S extends Schema<infer T, unknown> ? T : never

/** The type of a value as callers of the API see it. */
export type JsonOf<S> = S extends Schema<unknown, infer J> ? J : never

/** The way in which lists filter by a field. `text`: by a part of the text. `range`: by limits. Otherwise: by the value. */
export type FilteredBy<S> = S extends Schema<unknown, unknown, infer By> ? By : never

const schema = <T, J = T, By = unknown>(keywords: object): Schema<T, J, By> => keywords

export const ignoredField = schema({ readOnly: true })

/** A field that only the service writes. The service ignores the field in requests. */
export const ReadOnly = <S extends Schema>(one: S): S & { readOnly: true } => ({ ...one, readOnly: true })

/** A field that only requests contain. No response shows it. */
export const WriteOnly = <S extends Schema>(one: S): S & { writeOnly: true } => ({ ...one, writeOnly: true })

/** A record has exactly one of these fields. The resource decides which. */
export const OneOfFields = <S extends Schema>(
  eitherOf: readonly string[],
  schema: S,
): S & { eitherOf: readonly string[] } => ({ ...schema, eitherOf })

/** May be null. An absent field becomes null. */
export const Nullable = <S extends Schema>(one: S) =>
  schema<ValueOf<S> | null, JsonOf<S> | null, FilteredBy<S>>({
    ...one,
    type: isNullable(one) ? one.type : [one.type, 'null'],
  })

/** No two records may have the same value. Texts compare without case and width. */
export const Unique = <S extends Schema>(one: S): S & { unique: true } => ({ ...one, unique: true })

/** May be absent when a record is created; then the field gets this value. */
export const Starting = <S extends Schema>(starting: ValueOf<S>, one: S): S & { starting: ValueOf<S> } => ({
  ...one,
  starting,
})

/** A new record always has this value. Only later changes can set the field. */
export const AlwaysStarting = <S extends Schema>(starting: ValueOf<S>, one: S) => ({
  ...Starting(starting, one),
  always: true as const,
})

/** A field that was added after migrations had created the table. The next start adds the column. */
export const Added = <S extends Schema>(one: S): S & { added: true } => ({ ...one, added: true })

/** An example value, shown by the API documentation and the console. */
export const Example = <S extends Schema>(example: JsonOf<S>, one: S): S => ({ ...one, example })

/**
 * Must be absent, null, or equal to the value that the resource shows now. Links are ignored. `change` names the request that
 * changes the value, and `changedAt` the field with the time of the last change.
 */
export const AsShown = <F extends Fields>(fields: F, change: string, changedAt = '') =>
  schema<unknown, ResponseJson<F> | null>({
    type: ['object', 'null'],
    asShown: change,
    changedAt,
    properties: {
      ...Object.fromEntries(
        Object.entries(fields).map(([name, { type }]) => [name, { type: [type, 'null'] }]),
      ),
      links: ignoredField,
    },
    additionalProperties: false,
  })

/** Text that every representation can contain. */
export const Text = (minLength: number, maxLength: number) =>
  schema<string, string, 'text'>({ type: 'string', minLength, maxLength, plain: true })

/** Text that people can distinguish by sight. */
export const VisiblyDistinct = (minLength: number, maxLength: number) =>
  schema<string>({ ...Text(minLength, maxLength), distinct: true })

/** Text of any characters, because it is never shown. */
export const Secret = (minLength: number, maxLength: number) =>
  schema<string>({ type: 'string', minLength, maxLength, format: 'password' })

/** The hash of a secret. Only the database and its copies contain it. */
export const Hashed = <S extends Schema>(schema: S): S & { isHash: true } => ({ ...schema, isHash: true })

export const Id = schema<string>({ type: 'string', format: 'uuid' })

/** One of a named list of codes. */
export const CodeList = <const C extends string>(codeList: string, codes: readonly C[]) =>
  schema<C>({ type: 'string', codeList, 'x-extensible-enum': codes })

/** A calendar date. */
export const Day = schema<string, string, 'range'>({ type: 'string', format: 'date' })

/** The id of a record of another or the same resource. With `cascade`, deleting that record also deletes the record with this field. */
export const Reference = (
  resource: string,
  { onDelete = 'refuse' }: { onDelete?: 'refuse' | 'cascade' } = {},
) => schema<string>({ type: 'string', format: 'uuid', reference: resource, onDelete })

/** A calendar date before today. */
export const PastDate = schema<string, string, 'range'>({ type: 'string', format: 'date', past: true })

export const Email = (maxLength: number) =>
  schema<string, string, 'text'>({
    type: 'string',
    minLength: 1,
    maxLength,
    format: 'idn-email',
    plain: true,
  })

/** An instant, already formatted as text. */
export const TimestampText = schema<string>({ type: 'string', format: 'date-time' })

/** An instant, shown in UTC. */
export const UtcTimestamp = schema<Instant, string, 'range'>({ ...TimestampText, zone: 'utc' })

/** An instant, shown with the offset of the service's time zone. */
export const OffsetTimestamp = schema<Instant, string, 'range'>({ ...TimestampText, zone: 'local' })

/** Text that only the service reads. */
export const StoredText = schema<string>({ type: 'string' })

/** A whole number. */
export const Whole = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) =>
  schema<number>({ type: 'integer', minimum, maximum })

/** Counts the versions of a record from 1. */
export const Version = Whole(1)

/** At least one word, without duplicates. In XML, each word is an element with this name. A table stores all words in one column. */
export const UniqueWords = <S extends Schema>(name: string, word: S, maxItems = 32) =>
  schema<readonly ValueOf<S>[], readonly JsonOf<S>[]>({
    type: 'array',
    items: { ...word, xml: { name } },
    minItems: 1,
    maxItems,
    uniqueItems: true,
  })

/** A list of objects, which only responses contain. */
export const ArrayOf = <S extends Schema>(one: S, maxItems: number) =>
  schema<readonly ValueOf<S>[], readonly JsonOf<S>[]>({ type: 'array', items: one, maxItems })

export const Flag = schema<boolean>({ type: 'boolean' })

export type Fields = Readonly<Record<string, Schema>>

/** The starting value of a field, if it has one. */
export const startingValueOf = (one: Schema = {}) => ('starting' in one ? one.starting : undefined)

/** A file may contain the value; otherwise the service assigns it. */
export const AssignedIfAbsent = <S extends Schema>(one: S) =>
  schema<ValueOf<S> | null>({ ...Nullable(one), assignedByService: true })

export const isNullable = ({ type }: Schema) => Array.isArray(type)

import type { Instant } from './clock.ts'
import type { ShownJson } from './json-types.ts'

/**
 * A JSON Schema, the type of the values that it describes, the type of their JSON, and how a list is filtered by them. No
 * schema has these three properties, which exist only in types. They have names and are no symbols, because the package of
 * the client has a copy of these types, which must fit.
 */
export interface Schema<T = unknown, J = T, By = unknown> {
  readonly '~value'?: T
  readonly '~json'?: J
  readonly '~by'?: By
  readonly type?: string | readonly string[]
}

export type ValueOf<S> = S extends Schema<infer T, unknown> ? T : never

/** The type of a value as callers of the API see it. */
export type JsonOf<S> = S extends Schema<unknown, infer J> ? J : never

/** `text`: by a part of it; `range`: by its limits; otherwise by the value. */
export type FilteredBy<S> = S extends Schema<unknown, unknown, infer By> ? By : never

const schema = <T, J = T, By = unknown>(keywords: object): Schema<T, J, By> => keywords

export const ignored = schema({ readOnly: true })

/** A field that only the service writes: accepted in a request, and ignored there. */
export const ReadOnly = <S extends Schema>(schema: S): S & { readOnly: true } => ({
  ...schema,
  readOnly: true,
})

/** A field that only a request contains: no answer shows it. */
export const WriteOnly = <S extends Schema>(schema: S): S & { writeOnly: true } => ({
  ...schema,
  writeOnly: true,
})

/** A record has one of these fields. Which one is for its room to judge. */
export const EitherOf = <S extends Schema>(
  eitherOf: readonly string[],
  schema: S,
): S & { eitherOf: readonly string[] } => ({ ...schema, eitherOf })

/** May be null, and may be left out, which means null. */
export const Nullable = <S extends Schema>(one: S) =>
  schema<ValueOf<S> | null, JsonOf<S> | null, FilteredBy<S>>({
    ...one,
    type: isNullable(one) ? one.type : [one.type, 'null'],
  })

/** No two records have the same value. Texts are compared after folding case and width. */
export const Unique = <S extends Schema>(one: S): S & { unique: true } => ({ ...one, unique: true })

/** May be left out when a record is created: it then begins with this value. */
export const Starting = <S extends Schema>(starting: ValueOf<S>, one: S): S & { starting: ValueOf<S> } => ({
  ...one,
  starting,
})

/** Begins with this value, whatever a creation says; later changes may write it. */
export const AlwaysStarting = <S extends Schema>(starting: ValueOf<S>, one: S) => ({
  ...Starting(starting, one),
  always: true as const,
})

/** A field that was added to a table that our migrations had made before: the start adds its column. */
export const Added = <S extends Schema>(one: S): S & { added: true } => ({ ...one, added: true })

/** What the documents and the console say of a field: an example value. */
export const Example = <S extends Schema>(example: JsonOf<S>, one: S): S => ({ ...one, example })

/**
 * Must be absent, null, or what the resource shows now; its fields have no other rule. Links are ignored. `change` is
 * the request that changes it, and `changedAt` the field that says when it last did.
 */
export const AsShown = <F extends Fields>(fields: F, change: string, changedAt = '') =>
  schema<unknown, ShownJson<F> | null>({
    type: ['object', 'null'],
    asShown: change,
    changedAt,
    properties: {
      ...Object.fromEntries(
        Object.entries(fields).map(([name, { type }]) => [name, { type: [type, 'null'] }]),
      ),
      links: ignored,
    },
    additionalProperties: false,
  })

/** Text that every representation can carry. */
export const Text = (minLength: number, maxLength: number) =>
  schema<string, string, 'text'>({ type: 'string', minLength, maxLength, plain: true })

/** Text that people tell apart by sight. */
export const Distinct = (minLength: number, maxLength: number) =>
  schema<string>({ ...Text(minLength, maxLength), distinct: true })

/** Text of any characters: it is never shown. */
export const Secret = (minLength: number, maxLength: number) =>
  schema<string>({ type: 'string', minLength, maxLength, format: 'password' })

/** The hash of a secret: it is in the database and its copies alone. */
export const Hashed = <S extends Schema>(schema: S): S & { isHash: true } => ({ ...schema, isHash: true })

export const Id = schema<string>({ type: 'string', format: 'uuid' })

/** One of a named list of codes. */
export const CodeList = <const C extends string>(codeList: string, codes: readonly C[]) =>
  schema<C>({ type: 'string', codeList, 'x-extensible-enum': codes })

/** A calendar date. */
export const Day = schema<string, string, 'range'>({ type: 'string', format: 'date' })

/** The id of a record of another resource, or of the same one. With `cascade`, a record goes with the one that it refers to. */
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

/** An instant that is shown in UTC. */
export const UtcTimestamp = schema<Instant, string, 'range'>({
  type: 'string',
  format: 'date-time',
  zone: 'utc',
})

/** An instant that is shown with the offset of the service's time zone. */
export const OffsetTimestamp = schema<Instant, string, 'range'>({
  type: 'string',
  format: 'date-time',
  zone: 'local',
})

/** An instant, already formatted as text. */
export const TimestampText = schema<string>({ type: 'string', format: 'date-time' })

/** Text that only the service reads. */
export const StoredText = schema<string>({ type: 'string' })

/** A whole number. */
export const Whole = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) =>
  schema<number>({ type: 'integer', minimum, maximum })

/** Versions of a record are counted from 1. */
export const Version = Whole(1)

/** At least one word and none twice, each an XML element of this name. A table holds them in one column. */
export const List = <S extends Schema>(name: string, word: S, maxItems = 32) =>
  schema<readonly ValueOf<S>[], readonly JsonOf<S>[]>({
    type: 'array',
    items: { ...word, xml: { name } },
    minItems: 1,
    maxItems,
    uniqueItems: true,
  })

/** Some objects, which only an answer shows. */
export const Items = <S extends Schema>(one: S, maxItems: number) =>
  schema<readonly ValueOf<S>[], readonly JsonOf<S>[]>({ type: 'array', items: one, maxItems })

export const Flag = schema<boolean>({ type: 'boolean' })

export type Fields = Readonly<Record<string, Schema>>

/** The value that a field begins with, if it has one. */
export const startingOf = (one: Schema = {}) => ('starting' in one ? one.starting : undefined)

/** A file may state it, but a service assigns it. */
export const Assigned = <S extends Schema>(one: S) =>
  schema<ValueOf<S> | null>({ ...Nullable(one), assigned: true })

export const isNullable = ({ type }: Schema) => Array.isArray(type)

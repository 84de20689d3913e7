import Type, { type Static, type TSchema, type TUnsafe } from 'typebox'
import type { Instant } from './clock.ts'

/** A field that only the service writes: known in a request, and ignored there. */
export const ReadOnly = <S extends TSchema>(schema: S): S & { readOnly: true } => ({
  ...schema,
  readOnly: true,
})

/** A field that only a request brings: no answer shows it. */
export const WriteOnly = <S extends TSchema>(schema: S): S & { writeOnly: true } => ({
  ...schema,
  writeOnly: true,
})

/** May be null, and may be left out, which means null. */
export const Nullable = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [(schema as { type?: string }).type, 'null'] })

/** Must be absent, null, or what the resource shows now: its fields have no rule but that. */
export const AsShown = (fields: Fields) =>
  Type.Unsafe<unknown>({
    type: ['object', 'null'],
    asShown: true,
    properties: Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, typeOf(schema)])),
    additionalProperties: false,
  })

const typeOf = (schema: TSchema) => Type.Unsafe({ type: (schema as { type?: unknown }).type })

/** Text that every representation can carry. */
export const Text = (minLength: number, maxLength: number) =>
  Type.String({ minLength, maxLength, plain: true })

/** Text of any characters: it is never shown. */
export const Secret = (minLength: number, maxLength: number) =>
  Type.String({ minLength, maxLength, format: 'password' })

export const Id = Type.String({ format: 'uuid' })

/** One of a list of codes that has a name. */
export const CodeList = <const C extends string>(codeList: string, codes: readonly C[]) =>
  Type.Unsafe<C>({ type: 'string', codeList, 'x-extensible-enum': codes })

/** A calendar date before today. */
export const PastDate = Type.Unsafe<string>({ type: 'string', format: 'date', past: true })

export const Email = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: 'email' })

/** An instant that is shown in UTC. */
export const UtcTimestamp = Type.Unsafe<Instant>({ type: 'string', format: 'date-time', zone: 'utc' })

/** An instant that is shown with the offset of the service's time zone. */
export const OffsetTimestamp = Type.Unsafe<Instant>({ type: 'string', format: 'date-time', zone: 'local' })

export const Flag = Type.Boolean()

/** An object's schema as it stands, beside the type it stands for. */
export interface ObjectSchema {
  readonly type: string
  readonly xml: { readonly name: string }
  readonly properties: Fields
  readonly required: readonly string[]
  readonly additionalProperties: false
}

export type Fields = Readonly<Record<string, TSchema>>

/** What an answer shows of a resource: these fields and no other. */
export const Shown = <F extends Fields>(name: string, fields: F) => {
  const properties = select(fields, (field) => !isWriteOnly(field))
  return object<ShownValue<F>>(name, properties, Object.keys(properties))
}

/** What a request may say of a resource. Every field that it may write is required unless it is nullable. */
export const Requested = <F extends Fields>(name: string, fields: F) => {
  const ignored = Type.Unsafe({ readOnly: true })
  const properties = Object.fromEntries(
    Object.entries(fields).map(([field, schema]) => [field, isReadOnly(schema) ? ignored : schema]),
  )
  const required = Object.keys(fields).filter((field) => isRequired(fields[field]))
  return object<RequestedValue<F>>(name, { ...properties, links: ignored }, required)
}

const object = <T>(
  name: string,
  properties: Fields,
  required: readonly string[],
): TUnsafe<T> & ObjectSchema => {
  const schema: ObjectSchema = {
    type: 'object',
    xml: { name },
    properties,
    required,
    additionalProperties: false,
  }
  return { ...Type.Unsafe<T>({}), ...schema }
}

export type ShownValue<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { writeOnly: true } ? never : K]: Static<F[K]>
}

export type RequestedValue<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { readOnly: true } ? never : K]: Static<F[K]>
}

const isReadOnly = (schema: TSchema) => 'readOnly' in schema
const isWriteOnly = (schema: TSchema) => 'writeOnly' in schema

const isRequired = (schema: TSchema | undefined) =>
  schema !== undefined && !isReadOnly(schema) && !Array.isArray((schema as { type?: unknown }).type)

const select = (fields: Fields, keep: (schema: TSchema) => boolean) =>
  Object.fromEntries(Object.entries(fields).filter(([, schema]) => keep(schema)))

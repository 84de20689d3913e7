import type { RequestedJson, ShownJson } from './json-types.ts'
import {
  Assigned,
  type Fields,
  ignored,
  isNullable,
  type Schema,
  startingOf,
  TimestampText,
  type ValueOf,
} from './schema.ts'

/** The keywords of an object's schema. */
export interface ObjectSchema {
  readonly type: string
  readonly xml: { readonly name: string }
  readonly properties: Fields
  readonly required: readonly string[]
  readonly additionalProperties: false
  /** An absent field with a starting value becomes that value or stays as stored. Without this, it becomes null like all others. */
  readonly absentBecomes?: 'startingValue' | 'storedValue'
}

/** The schema of a response: these fields and no other. */
export const Shown = <F extends Fields>(name: string, fields: F) => {
  const properties = select(fields, (field) => !isWriteOnly(field))
  return object<ShownValue<F>, ShownJson<F>>(name, properties, Object.keys(properties))
}

/** The schema of a request. Every writable field is required unless it is nullable. */
export const Requested = <F extends Fields>(name: string, fields: F) => {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([field, schema]) => [field, isReadOnly(schema) ? ignored : schema]),
  )
  const required = Object.keys(fields).filter((field) => isRequired(fields[field]))
  return object<RequestedValue<F>, RequestedJson<F>>(name, { ...properties, links: ignored }, required)
}

/** The schema of a creation: as `Requested`, but fields with a starting value may be left out. */
export const Created = <F extends Fields>(name: string, fields: F) => {
  const { required, properties, ...rest } = Requested(name, fields)
  return {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties).map(([field, schema]) => [field, 'always' in schema ? ignored : schema]),
    ),
    required: required.filter((field) => startingOf(fields[field]) === undefined),
    absentBecomes: 'startingValue' as const,
  }
}

/** The schema of a replacement: as `Requested`, but a field with a starting value that is left out keeps what it has. */
export const Replaced = <F extends Fields>(name: string, fields: F) => {
  const { required, ...rest } = Requested(name, fields)
  return {
    ...rest,
    required: required.filter((field) => startingOf(fields[field]) === undefined),
    absentBecomes: 'storedValue' as const,
  }
}

/** Fields as requests contain them: times are text in any shape that the specification allows, and the room parses them. */
export const received = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([field, schema]) => {
      const { zone: _, ...text } = schema
      return [field, isReadOnly(schema) ? schema : text]
    }),
  )

/** The schema of a record in a file, which may also contain the fields that otherwise only the service writes. */
export const Imported = <F extends Fields>(name: string, fields: F) =>
  Requested(
    name,
    Object.fromEntries(
      Object.entries(fields).map(([field, schema]) => [field, isReadOnly(schema) ? stated(schema) : schema]),
    ) as ImportedFields<F>,
  )

const stated = ({ readOnly: _, ...schema }: Schema & { readonly readOnly: unknown }) =>
  Assigned('zone' in schema ? TimestampText : schema)

type ImportedFields<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends { readOnly: true } ? Schema<string | null> : F[K]
}

const object = <T, J>(
  name: string,
  properties: Fields,
  required: readonly string[],
): Schema<T, J> & ObjectSchema => ({
  type: 'object',
  xml: { name },
  properties,
  required,
  additionalProperties: false,
})

export type ShownValue<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { writeOnly: true } ? never : K]: ValueOf<F[K]>
}

export type RequestedValue<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { readOnly: true } ? never : K]: ValueOf<F[K]>
}

const isReadOnly = (schema: Schema): schema is Schema & { readonly readOnly: unknown } => 'readOnly' in schema
const isWriteOnly = (schema: Schema) => 'writeOnly' in schema

const isRequired = (schema: Schema | undefined) =>
  schema !== undefined && !isReadOnly(schema) && !isNullable(schema)

const select = (fields: Fields, keep: (schema: Schema) => boolean) =>
  Object.fromEntries(Object.entries(fields).filter(([, schema]) => keep(schema)))

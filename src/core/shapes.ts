import type { RequestJson, ResponseJson } from './json-types.ts'
import {
  AssignedIfAbsent,
  type Fields,
  ignoredField,
  isNullable,
  type Schema,
  startingValueOf,
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
  /** The value of an absent field that has a starting value. Without this keyword it is null, as for other absent fields. */
  readonly absentBecomes?: 'startingValue' | 'storedValue'
}

/** The schema of a response: exactly these fields, without those that only requests contain. */
export const ResponseOf = <F extends Fields>(name: string, fields: F) => {
  const properties = select(fields, (field) => !isWriteOnly(field))
  return object<ResponseValue<F>, ResponseJson<F>>(name, properties, Object.keys(properties))
}

/** The schema of a request. Every writable field is required unless it is nullable. */
export const RequestOf = <F extends Fields>(name: string, fields: F) => {
  const properties = mapFields(fields, (schema) => (isReadOnly(schema) ? ignoredField : schema))
  const required = Object.keys(fields).filter((field) => isRequired(fields[field]))
  return object<RequestValue<F>, RequestJson<F>>(name, { ...properties, links: ignoredField }, required)
}

/** The schema of a creation: as `RequestOf`, but fields with a starting value may be absent. */
export const CreationOf = <F extends Fields>(name: string, fields: F) => {
  const { required, properties, ...rest } = RequestOf(name, fields)
  return {
    ...rest,
    properties: mapFields(properties, (schema) => ('always' in schema ? ignoredField : schema)),
    required: required.filter((field) => startingValueOf(fields[field]) === undefined),
    absentBecomes: 'startingValue' as const,
  }
}

/** The schema of a replacement: as `RequestOf`, but an absent field with a starting value keeps its stored value. */
export const ReplacementOf = <F extends Fields>(name: string, fields: F) => {
  const { required, ...rest } = RequestOf(name, fields)
  return {
    ...rest,
    required: required.filter((field) => startingValueOf(fields[field]) === undefined),
    absentBecomes: 'storedValue' as const,
  }
}

/** Requests contain times as text in any of the allowed shapes, and the resource parses them. */
export const withTimesAsText = (fields: Fields): Fields =>
  mapFields(fields, (schema) => {
    const { zone: _, ...text } = schema
    return isReadOnly(schema) ? schema : text
  })

/** The schema of a record in a file. Unlike a request, a file may contain the fields that only the service writes. */
export const ImportOf = <F extends Fields>(name: string, fields: F) => {
  const settable = (schema: Schema) => (isReadOnly(schema) ? assignedIfAbsent(schema) : schema)
  return RequestOf(name, mapFields(fields, settable) as ImportedFields<F>)
}

const assignedIfAbsent = ({ readOnly: _, ...schema }: Schema & { readonly readOnly: unknown }) =>
  AssignedIfAbsent('zone' in schema ? TimestampText : schema)

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

export type ResponseValue<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { writeOnly: true } ? never : K]: ValueOf<F[K]>
}

export type RequestValue<F extends Fields> = {
  readonly [K in keyof F as F[K] extends { readOnly: true } ? never : K]: ValueOf<F[K]>
}

const isReadOnly = (schema: Schema): schema is Schema & { readonly readOnly: unknown } => 'readOnly' in schema
const isWriteOnly = (schema: Schema) => 'writeOnly' in schema

const isRequired = (schema: Schema | undefined) =>
  schema !== undefined && !isReadOnly(schema) && !isNullable(schema)

const mapFields = (fields: Fields, map: (schema: Schema) => Schema): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, map(schema)]))

const select = (fields: Fields, keep: (schema: Schema) => boolean) =>
  Object.fromEntries(Object.entries(fields).filter(([, schema]) => keep(schema)))

import type { Fields, Schema } from '#core/schema.ts'
import type { Declaration } from '#resources/declaration.ts'
import type { Value } from '#sql/query.ts'
import { isValid } from '#sql/records.ts'
import { readInstant } from './records.ts'

type Body = Readonly<Record<string, unknown>>

/** Finds the values that a rule changed, and checks them, so that a faulty rule stores nothing. */
export const changedValuesReader =
  ({ name, fields }: Pick<Declaration, 'name' | 'fields'>) =>
  (returned: unknown, before: Body): Body => {
    if (typeof returned !== 'object' || returned === null)
      throw new TypeError(`a rule or action of "${name}" returned no record`)
    const changedValues: Record<string, unknown> = {}
    for (const [field, schema] of Object.entries(fields)) {
      const value = (returned as Body)[field]
      if (isSame(value, before[field])) continue
      if (!isOfType(schema, value) || !isValid(schema, value))
        throw new TypeError(`a rule or action of "${name}" returned "${field}" of the wrong kind`)
      changedValues[field] = value
    }
    return changedValues
  }

/** Compares two values of a field. Lists are equal if they have the same items. */
export const isSame = (one: unknown, other: unknown) =>
  one === other || (Array.isArray(one) && String(one) === String(other))

/** Parses the times of a body into milliseconds. */
export const timeParser = (fields: Fields) => {
  const times = Object.keys(fields).filter((field) => fields[field]?.zone !== undefined)
  return <B extends Body>(body: B): B => {
    const texts = times.filter((field) => typeof body[field] === 'string')
    if (texts.length === 0) return body
    const read = (field: string) => readInstant(field, body[field] as string) ?? null
    return { ...body, ...Object.fromEntries(texts.map((field) => [field, read(field)])) }
  }
}

export const isOfType = ({ type, zone }: Schema, value: unknown): value is Value => {
  if (value === null) return Array.isArray(type)
  const kind = zone === undefined ? [type].flat()[0] : 'integer'
  if (kind === 'array') return Array.isArray(value)
  if (kind === 'integer') return Number.isSafeInteger(value)
  return typeof value === kind
}

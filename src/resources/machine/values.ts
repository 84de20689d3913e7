import type { Fields, Schema } from '#core/schema.ts'
import type { Declaration } from '#resources/declaration.ts'
import type { Value } from '#sql/query.ts'
import { isValid } from '#sql/records.ts'
import { instantInFile } from './records.ts'

type Body = Readonly<Record<string, unknown>>

/** The fields that a rule changed. Their values are checked, so that a faulty rule stores nothing. */
export const changedByRule =
  ({ name, fields }: Pick<Declaration, 'name' | 'fields'>) =>
  (returned: unknown, before: Body): Body => {
    if (typeof returned !== 'object' || returned === null)
      throw new TypeError(`a rule or action of "${name}" returned no record`)
    const chosen: Record<string, unknown> = {}
    for (const [field, schema] of Object.entries(fields)) {
      const value = (returned as Body)[field]
      if (isSame(value, before[field])) continue
      if (!isOfKind(schema, value) || !isValid(schema, value))
        throw new TypeError(`a rule or action of "${name}" returned "${field}" of the wrong kind`)
      chosen[field] = value
    }
    return chosen
  }

/** Compares lists by their text. */
export const isSame = (one: unknown, other: unknown) =>
  one === other || (Array.isArray(one) && String(one) === String(other))

/** Returns a function that turns the times of a body from text into milliseconds. */
export const timeParser = (fields: Fields) => {
  const times = Object.keys(fields).filter((field) => fields[field]?.zone !== undefined)
  return <B extends Body>(body: B): B => {
    const texts = times.filter((field) => typeof body[field] === 'string')
    if (texts.length === 0) return body
    const read = (field: string) => instantInFile(field, body[field] as string) ?? null
    return { ...body, ...Object.fromEntries(texts.map((field) => [field, read(field)])) }
  }
}

export const isOfKind = ({ type, zone }: Schema, value: unknown): value is Value => {
  if (value === null) return Array.isArray(type)
  const kind = zone === undefined ? [type].flat()[0] : 'integer'
  if (kind === 'array') return Array.isArray(value)
  if (kind === 'integer') return Number.isSafeInteger(value)
  return typeof value === kind
}

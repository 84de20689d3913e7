import { type Fields, isNullable, startingValueOf } from '#core/schema.ts'
import type { Values } from '#resources/import-target.ts'
import { passwordField } from './interpreting.ts'

/** Removes the empty values of a new record, so that these fields get their starting values. */
export const withoutNulls = (values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

/** Removes empty values of fields that are never null, so that the existing value stays. */
export const withoutNullsOfRequired = (values: Values, fields: Fields): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([field, value]) => {
      const schema = fields[field] ?? {}
      return value !== null || startingValueOf(schema) === undefined || isNullable(schema)
    }),
  )

export const pick = (fields: readonly string[], values: Values): Values =>
  Object.fromEntries(
    fields.filter((field) => values[field] !== undefined).map((field) => [field, values[field]]),
  )

interface Compared {
  readonly before: Values
  readonly isTable: boolean
}

/**
 * Picks the values that differ from the record. Passwords are ignored, because they cannot be compared with a hash. An empty cell of
 * a table does not change an empty text to null.
 */
export const pickChanged = (fields: readonly string[], values: Values, { before, isTable }: Compared) => {
  const isChanged = (field: string) => {
    const [value = null, previous = null] = [values[field], before[field]]
    return value !== previous && !(isTable && value === null && previous === '')
  }
  return pick(
    fields.filter((field) => field !== passwordField && isChanged(field)),
    values,
  )
}

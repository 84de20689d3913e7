import type { Value } from '#sql/query.ts'

/** An array as PostgreSQL reads it from a parameter. */
export const arrayOf = (values: readonly Value[]) => `{${values.map(element).join()}}`

const element = (value: Value) => (value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`)

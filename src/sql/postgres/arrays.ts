import type { Value } from '#sql/query.ts'

export const toArrayLiteral = (values: readonly Value[]) => `{${values.map(element).join()}}`

const element = (value: Value) => (value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`)

import { flagOf } from '#core/csv.ts'
import type { Fields, Schema } from '#core/schema.ts'
import type { Values } from '#resources/resource.ts'
import type { Cells, Fault, Job } from './store.ts'

/** What a row says of a record, by field. */
export interface Said {
  readonly said: Values
  readonly faults: readonly Fault[]
}

/** Reads a row by the columns of its import. */
export const saidIn = (
  { cells, corrected = {} }: Cells,
  { columns, replaced }: Job,
  fields: Fields,
): Said => {
  const said: Record<string, unknown> = {}
  const list = Array.isArray(cells)
    ? cells
    : columns.map(({ heading }) => valueAt(cells as Values, heading ?? ''))
  columns.forEach(({ field }, at) => {
    if (field !== null) said[field] = list[at] ?? null
  })
  Object.assign(said, corrected)
  for (const { field, from, to } of replaced)
    if (field in said && textAt(said, field) === from) said[field] = to
  for (const field of Object.keys(said)) said[field] = meaningOf(fields[field] ?? {}, said[field])
  return { said, faults: [] }
}

const textAt = (said: Values, field: string) => {
  const value = said[field] ?? null
  return value === null ? null : String(value)
}

const valueAt = (record: Values, path: string): unknown =>
  path.split('.').reduce<unknown>((above, name) => (above as Values | undefined | null)?.[name], record) ??
  null

/** The value of a field that a text in a file stands for. */
const meaningOf = ({ type }: Schema, value: unknown): unknown => {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return null
  if (type?.includes('boolean')) return flagOf(value)
  return type?.includes('integer') && /^-?\d{1,15}$/.test(value) ? Number(value) : value
}

/** A record with dotted names as one with objects. */
export const nested = (values: Values): Values => {
  const record: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(values)) {
    const [first = '', ...rest] = path.split('.')
    if (rest.length === 0) record[first] = value
    else record[first] = { ...(record[first] as object | undefined), [rest.join('.')]: value }
  }
  return record
}

export const flattened = (record: Values): Values =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flattened(value as Values)).map(([inner, one]) => [`${name}.${inner}`, one])
        : [[name, value]],
    ),
  )

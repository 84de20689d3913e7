import { type Choices, type ColumnFault, type Columns, readHeader } from '#core/columns.ts'
import type { CsvFields } from '#core/csv.ts'
import { type DateOrder, type Foreign, lettersOf } from '#core/foreign.ts'
import type { JsonSchema } from '#http/message/schema.ts'

export const noNames = 'it has no header line with the names of its columns'

/** How the columns of a file are understood. */
export interface Mapping {
  readonly foreign?: Foreign | undefined
  readonly choices?: Choices
  readonly dateOrder?: DateOrder | undefined
}

/** The names of the columns, undefined where one is left out. Throws if they cannot be those of records of this schema. */
export const columnNames = (headings: CsvFields, schema: JsonSchema, { foreign, choices }: Mapping) => {
  const columns = { ...columnsIn(schema), foreign }
  const known = columns.known.join(', ')
  const letters = headings.map((heading = '') => lettersOf(heading))
  const absent = choices?.keys().find((heading) => !letters.includes(heading))
  if (absent !== undefined) throw new Error(`no column is named ${absent}, which --map names`)
  const header = readHeader(headings, columns, choices)
  if (header === 'unnamed') throw new Error(noNames)
  if (header === 'foreign') throw new Error(`its first line names none of the columns ${known}`)
  if (header.faults.length > 0) throw new Error(header.faults.map((one) => words(one, known)).join('; '))
  return header.names
}

const words = (found: ColumnFault, known: string): string => {
  const { column } = found
  if ('other' in found) return `the column ${column} is a part of the column ${found.other}`
  if (!('closest' in found))
    return found.fault === 'twice' ? `two columns are named ${column}` : `the column ${column} is missing`
  const hint =
    found.closest.length > 0 ? `the closest is ${found.closest.join(' or ')}` : `there are ${known}`
  return `the column ${column} is unknown, ${hint} (--map "${column}=…" says what it is)`
}

export const columnsIn = (schema: JsonSchema): Columns => ({
  known: fieldsIn(schema, () => true),
  required: requiredIn(schema),
})

type IsKept = (field: JsonSchema) => boolean

/** The fields of a record, by their paths. */
export const fieldsIn = ({ properties = {} }: JsonSchema, isKept: IsKept): readonly string[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    if (field.properties) return fieldsIn(field, isKept).map((inner) => `${name}.${inner}`)
    return field.readOnly || !isKept(field) ? [] : name
  })

/** A record has at least one of each of these groups of fields. */
export const requiredIn = (schema: JsonSchema, above = ''): readonly (readonly string[])[] => {
  const { properties = {}, required = [], eitherOf } = schema
  const groups = required.flatMap((name) => {
    const field = properties[name]
    return field?.properties ? requiredIn(field, `${above}${name}.`) : [[above + name]]
  })
  return eitherOf ? [...groups, eitherOf.map((name) => above + name)] : groups
}

/** A record with those of its fields that are kept, and with all that its schema does not know. */
export const withFields = (
  record: object,
  { properties = {} }: JsonSchema,
  isKept: (field: JsonSchema, value: unknown) => boolean,
): object =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (field && !isKept(field, value)) return []
      return [[name, field?.properties && isObject(value) ? withFields(value, field, isKept) : value]]
    }),
  )

/** No list: its elements have no names. */
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

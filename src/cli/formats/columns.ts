import { type ColumnFault, type Columns, readHeader } from '#core/columns.ts'
import type { CsvFields } from '#core/csv.ts'
import type { JsonSchema } from '#http/message/schema.ts'

export const noNames = 'it has no header line with the names of its columns'

/** The names of the columns, as the header line has them. Throws if the columns cannot be those of records of this schema. */
export const columnNames = (headings: CsvFields, schema: JsonSchema): readonly string[] => {
  const columns = columnsIn(schema)
  const known = columns.known.join(', ')
  const header = readHeader(headings, columns)
  if (header === 'unnamed') throw new Error(noNames)
  if (header === 'foreign') throw new Error(`its first line names none of the columns ${known}`)
  if (header.faults.length > 0) throw new Error(header.faults.map((one) => words(one, known)).join('; '))
  return header.names
}

export const columnsIn = (schema: JsonSchema): Columns => ({
  known: fieldsIn(schema),
  required: requiredIn(schema),
})

const fieldsIn = ({ properties = {} }: JsonSchema): readonly string[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    if (field.properties) return fieldsIn(field).map((inner) => `${name}.${inner}`)
    return field.readOnly ? [] : name
  })

const requiredIn = (schema: JsonSchema, above = ''): readonly (readonly string[])[] => {
  const { properties = {}, required = [], eitherOf } = schema
  const groups = required.flatMap((name) => {
    const field = properties[name]
    return field?.properties ? requiredIn(field, `${above}${name}.`) : [[above + name]]
  })
  return eitherOf ? [...groups, eitherOf.map((name) => above + name)] : groups
}

const words = (found: ColumnFault, known: string): string => {
  switch (found.fault) {
    case 'twice':
      return `two columns are named ${found.column}`
    case 'within':
      return `the column ${found.column} is a part of the column ${found.other}`
    case 'missing':
      return `the column ${found.column} is missing`
    case 'unknown': {
      const { column, closest } = found
      const hint = closest.length > 0 ? `the closest is ${closest.join(' or ')}` : `there are ${known}`
      return `the column ${column} is unknown, ${hint}`
    }
  }
}

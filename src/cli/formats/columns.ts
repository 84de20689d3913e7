import type { CsvFields } from '#core/csv.ts'
import { printable } from '#core/formats.ts'
import type { JsonSchema } from '#http/schema.ts'
import { nearestName } from '#src/config/nearest-name.ts'

/**
 * The names of the columns, as the header line has them. `credential.signId` is a field within `credential`, and `signId`
 * is short for it, as in the console. Throws if the columns cannot be those of records of this schema.
 */
export const columnNames = (headings: CsvFields, schema: JsonSchema): readonly string[] => {
  const names = headings.map((heading = '') => nameOf(heading))
  const named = names.filter((name) => name !== '')
  if (named.length === 0) throw noNames()
  refuseClashes(named)
  refuseOthers(named, schema)
  return names
}

export const noNames = () => new Error('it has no header line with the names of its columns')

const nameOf = (heading: string) => heading.trim().replace(/^(signId|password)$/, 'credential.$1')

/** No two columns may name the same field, nor may one name a part of another. */
const refuseClashes = (names: readonly string[]) => {
  const fields = new Set<string>()
  for (const name of names) {
    if (fields.has(name)) throw new Error(`two columns are named ${name}`)
    fields.add(name)
  }
  for (const name of fields) {
    const ancestor = ancestorsOf(name).find((one) => fields.has(one))
    if (ancestor !== undefined) throw new Error(`the column ${name} is a part of the column ${ancestor}`)
  }
}

/** The fields that contain this one: for `a.b.c`, `a` and `a.b`. */
const ancestorsOf = (name: string) => {
  const parts = name.split('.')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'))
}

/** Otherwise every row would be refused for the same reason. */
const refuseOthers = (names: readonly string[], schema: JsonSchema) => {
  const known = fieldsOf(schema)
  const unknown = names.filter((name) => !known.includes(name))
  // It may be a record, with a password that must not be shown.
  if (unknown.length === names.length)
    throw new Error(`its first line names none of the columns ${known.join(', ')}`)
  const faults = [
    ...unknown.map((name) => `the column ${printable(name)} is unknown, ${hintFor(name, known)}`),
    ...missing(schema, names).map((name) => `the column ${name} is missing`),
  ]
  if (faults.length > 0) throw new Error(faults.join('; '))
}

const hintFor = (name: string, known: readonly string[]) => {
  const closest = nearestName(name, known)
  const similar = closest === undefined ? known.filter((field) => isSimilar(field, name)) : [closest]
  return similar.length > 0 ? `the closest is ${similar.join(' or ')}` : `there are ${known.join(', ')}`
}

/** Whether one contains the other, whatever the case and the characters between words. */
const isSimilar = (field: string, name: string) => {
  const [one, other] = [lettersOf(field), lettersOf(name)]
  return other !== '' && (one.includes(other) || other.includes(one))
}

const lettersOf = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const fieldsOf = ({ properties = {} }: JsonSchema): readonly string[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    if (field.properties) return fieldsOf(field).map((inner) => `${name}.${inner}`)
    return field.readOnly ? [] : name
  })

const missing = (schema: JsonSchema, names: readonly string[], above = ''): readonly string[] => {
  const { properties = {}, required = [], eitherOf: [first, ...others] = [] } = schema
  const isThere = (name: string) => names.includes(above + name)
  const lacking = required.flatMap((name) => {
    const field = properties[name]
    if (field?.properties) return missing(field, names, `${above}${name}.`)
    return isThere(name) ? [] : above + name
  })
  return first === undefined || [first, ...others].some(isThere) ? lacking : [...lacking, above + first]
}

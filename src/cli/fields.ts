import type { JsonSchema } from '#http/message/schema.ts'

type IsKept = (field: JsonSchema) => boolean

/** The fields of a record, with their paths. */
export const schemasIn = (
  { properties = {} }: JsonSchema,
  isKept: IsKept,
): readonly (readonly [path: string, JsonSchema])[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    if (!field.properties) return field.readOnly || !isKept(field) ? [] : [[name, field] as const]
    return schemasIn(field, isKept).map(([inner, schema]) => [`${name}.${inner}`, schema] as const)
  })

/** The paths of those fields. */
export const fieldsIn = (schema: JsonSchema, isKept: IsKept): readonly string[] =>
  schemasIn(schema, isKept).map(([path]) => path)

/** The fields that every record has. */
export const requiredIn = ({ properties = {}, required = [] }: JsonSchema, above = ''): readonly string[] =>
  required.flatMap((name) => {
    const field = properties[name]
    return field?.properties ? requiredIn(field, `${above}${name}.`) : above + name
  })

/** Leaves out the fields that the schema knows but `isKept` rejects. Unknown fields stay. */
export const withFields = (record: object, { properties = {} }: JsonSchema, isKept: IsKept): object =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      const field = properties[name]
      if (field && !isKept(field)) return []
      return [[name, field?.properties && value !== null ? withFields(value, field, isKept) : value]]
    }),
  )

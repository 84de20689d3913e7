import type { JsonSchema } from '#http/message/schema.ts'

type IsIncluded = (field: JsonSchema) => boolean

/** The paths and schemas of the fields that are included and not read-only. */
export const schemasIn = (
  { properties = {} }: JsonSchema,
  isIncluded: IsIncluded,
): readonly (readonly [path: string, JsonSchema])[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    if (!field.properties) return field.readOnly || !isIncluded(field) ? [] : [[name, field] as const]
    return schemasIn(field, isIncluded).map(([inner, schema]) => [`${name}.${inner}`, schema] as const)
  })

/** The paths of the fields that are included and not read-only. */
export const pathsIn = (schema: JsonSchema, isIncluded: IsIncluded): readonly string[] =>
  schemasIn(schema, isIncluded).map(([path]) => path)

/** The paths of the fields that every record has. */
export const requiredIn = ({ properties = {}, required = [] }: JsonSchema, prefix = ''): readonly string[] =>
  required.flatMap((name) => {
    const field = properties[name]
    return field?.properties ? requiredIn(field, `${prefix}${name}.`) : prefix + name
  })

/** The record without those fields of the schema that are not included. Fields that the schema does not have stay. */
export const pickFields = (record: object, { properties = {} }: JsonSchema, isIncluded: IsIncluded): object =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      const field = properties[name]
      if (field && !isIncluded(field)) return []
      return [[name, field?.properties && value !== null ? pickFields(value, field, isIncluded) : value]]
    }),
  )

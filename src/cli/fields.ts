import type { JsonSchema } from '#http/message/schema.ts'

type IsIncluded = (field: JsonSchema) => boolean

/** The paths and schemas of the fields that are included and not read-only. */
export const schemasIn = (
  { properties = {} }: JsonSchema,
  isKept: IsIncluded,
): readonly (readonly [path: string, JsonSchema])[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    if (!field.properties) return field.readOnly || !isKept(field) ? [] : [[name, field] as const]
    return schemasIn(field, isKept).map(([inner, schema]) => [`${name}.${inner}`, schema] as const)
  })

/** The paths of the fields that are included and not read-only. */
export const pathsIn = (schema: JsonSchema, isKept: IsIncluded): readonly string[] =>
  schemasIn(schema, isKept).map(([path]) => path)

/** The paths of the fields that every record has. */
export const requiredIn = ({ properties = {}, required = [] }: JsonSchema, above = ''): readonly string[] =>
  required.flatMap((name) => {
    const field = properties[name]
    return field?.properties ? requiredIn(field, `${above}${name}.`) : above + name
  })

/** The record without those fields of the schema that are not included. Fields that the schema does not have stay. */
export const pickFields = (record: object, { properties = {} }: JsonSchema, isKept: IsIncluded): object =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      const field = properties[name]
      if (field && !isKept(field)) return []
      return [[name, field?.properties && value !== null ? pickFields(value, field, isKept) : value]]
    }),
  )

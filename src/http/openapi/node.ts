export type Node = Readonly<Record<string, unknown>>

type ComponentKind = 'schemas' | 'responses' | 'parameters' | 'headers'

export const reference = (kind: ComponentKind, name: string) => ({ $ref: `#/components/${kind}/${name}` })

export const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** Drops undefined fields, because JSON has no undefined. */
export const withoutUndefined = (fields: Node): Node =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** The schema of a header field. With listed values it has no pattern, because some generators fail on both together. */
export const fieldSchema = (pattern: string, schema: Node): Node => ({
  type: 'string',
  ...('enum' in schema ? {} : { maxLength: 8192, pattern }),
  ...schema,
})

/** An object of the document. */
export type Node = Readonly<Record<string, unknown>>

type ComponentKind = 'schemas' | 'responses' | 'parameters' | 'headers'

export const reference = (kind: ComponentKind, name: string) => ({ $ref: `#/components/${kind}/${name}` })

export const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** The fields that have a value, because JSON has no undefined. */
export const given = (fields: Node): Node =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

export const text = (description: string, pattern: string, maxLength: number): Node => ({
  type: 'string',
  description,
  pattern,
  maxLength,
})

export const choice = (description: string, values: readonly string[]): Node => ({
  type: 'string',
  description,
  enum: values,
})

export const whole = (description: string, minimum = 0, maximum = Number.MAX_SAFE_INTEGER): Node => ({
  type: 'integer',
  format: 'int64',
  minimum,
  maximum,
  description,
})

export const flag = (description: string): Node => ({ type: 'boolean', description })

export const list = (description: string, items: Node, maxItems: number): Node => ({
  type: 'array',
  description,
  maxItems,
  xml: { wrapped: true },
  items,
})

/** An object with these properties and no others. */
export const object = (
  description: string,
  properties: Node,
  { xml, optional = [] }: { readonly xml?: string; readonly optional?: readonly string[] } = {},
): Node => ({
  type: 'object',
  description,
  ...(xml && { xml: { name: xml } }),
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

/** The schema of a header field. Where the values are listed, a pattern says nothing more, and some generators stumble over it. */
export const fieldSchema = (pattern: string, schema: Node): Node => ({
  type: 'string',
  ...('enum' in schema ? {} : { maxLength: 8192, pattern }),
  ...schema,
})

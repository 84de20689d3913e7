import type { Schema } from '#core/schema.ts'

/** The part of JSON Schema that our schemas use and `http` reads. */
export interface JsonSchema extends Schema, Documented {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly required?: readonly string[]
  /** The meaning of an absent field that has a starting value: that value, or the stored one. */
  readonly absentBecomes?: 'startingValue' | 'storedValue'
  readonly readOnly?: boolean
  /** A record has exactly one of these fields. The resource decides which. */
  readonly eitherOf?: readonly string[]
  readonly writeOnly?: boolean
  /** The service assigns the value, but an imported file may contain one. */
  readonly assignedByService?: boolean
  /** A request may only repeat the value as it is shown. This text names the request that changes it. */
  readonly asShown?: string
  /** The field within such a value that holds the time of its last change. */
  readonly changedAt?: string
  readonly xml?: { readonly name?: string; readonly wrapped?: boolean }
}

/** Keywords that only the OpenAPI document uses. */
interface Documented {
  readonly $ref?: string
  readonly description?: string
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly additionalProperties?: unknown
}

/** The name of the XML element of a value, both as a document and in a list. */
export const schemaName = ({ xml }: JsonSchema) => xml?.name ?? 'item'

export const textSchema: JsonSchema = { type: 'string' }

/** A schema as an object of the OpenAPI document. */
type Described = JsonSchema & Readonly<Record<string, unknown>>

export const text = (description: string, pattern: string, maxLength: number): Described => ({
  type: 'string',
  description,
  pattern,
  maxLength,
})

export const choice = (description: string, values: readonly string[]): Described => ({
  type: 'string',
  description,
  enum: values,
})

export const whole = (description: string, minimum = 0, maximum = Number.MAX_SAFE_INTEGER): Described => ({
  type: 'integer',
  format: 'int64',
  minimum,
  maximum,
  description,
})

export const flag = (description: string): Described => ({ type: 'boolean', description })

export const list = (description: string, items: JsonSchema, maxItems: number): Described => ({
  type: 'array',
  description,
  maxItems,
  xml: { wrapped: true },
  items,
})

/** An object with these properties and no others. */
export const object = (
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  { xml, optional = [] }: { readonly xml?: string; readonly optional?: readonly string[] } = {},
): Described => ({
  type: 'object',
  description,
  ...(xml && { xml: { name: xml } }),
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

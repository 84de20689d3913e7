import { instantShape, xmlTextPattern } from '#core/formats.ts'
import { isNullable } from '#core/schema.ts'
import { linkSchema } from '#http/message/representation/links.ts'
import { type JsonSchema, list, schemaName } from '#http/message/schema.ts'
import { capitalize, type Node, reference, withoutUndefined } from './node.ts'

/** The purpose of a schema: an object in a response, or the body of one kind of request. */
export type Purpose = 'shown' | 'new' | 'update' | 'patch'

export type SchemaSet = ReturnType<typeof schemaSet>

interface ObjectParts {
  /** The schema of the response, with the types of the fields that a request may only repeat. */
  readonly shown?: JsonSchema | undefined
  /** The name of the view. Absent for the full view. */
  readonly view?: string
}

const schemaNames: Readonly<Record<Purpose, (noun: string) => string>> = {
  shown: (noun) => noun,
  new: (noun) => `New${noun}`,
  update: (noun) => `${noun}Update`,
  patch: (noun) => `${noun}Patch`,
}

/**
 * The named schemas of the document, collected while operations ask for them. `fields` describes fields, by element and name.
 * `nouns` are the names of resources, which no other schema may have.
 */
export const schemaSet = (fields: Readonly<Record<string, string>>, nouns: ReadonlySet<string>) => {
  const schemas: Record<string, Node> = {}

  const freeNameOf = (wanted: string) => (nouns.has(wanted) ? `Common${wanted}` : wanted)
  /** Refers to a schema that may be added later. */
  const refer = (name: string) => reference('schemas', freeNameOf(name))
  /** Adds a schema that is already plain JSON Schema. */
  const add = (name: string, schema: Node) => {
    schemas[freeNameOf(name)] ??= schema
    return refer(name)
  }

  /** Adds the schemas of an object and of the objects in it. */
  const addObject = (schema: JsonSchema, purpose: Purpose, { shown, view = '' }: ObjectParts = {}): Node => {
    const element = schemaName(schema)
    const name = capitalize(view) + schemaNames[purpose](capitalize(element))
    if (schemas[name]) return reference('schemas', name)
    schemas[name] = {}
    schemas[name] = {
      type: 'object',
      description: fields[name] ?? `${capitalize(element)}, ${purposeTexts[purpose]}.`,
      xml: { name: element },
      properties: properties(schema, purpose, shown),
      ...(purpose === 'patch' || !schema.required?.length ? {} : { required: schema.required }),
      additionalProperties: false,
    }
    return reference('schemas', name)
  }

  const properties = (schema: JsonSchema, purpose: Purpose, shown: JsonSchema | undefined): Node => {
    const element = schemaName(schema)
    const entries = Object.entries(schema.properties ?? {}).map(([name, field]) => {
      const description = fields[`${element}.${name}`]
      const published = fieldOf(field, purpose, shown?.properties?.[name])
      return [name, name === 'links' ? links : withoutUndefined({ ...published, description })]
    })
    return Object.fromEntries(purpose === 'shown' ? [...entries, ['links', links]] : entries)
  }

  const onRequest = 'Present only if `links=true` was requested; ignored in a request.'
  const links: Node = { ...list(onRequest, add('Link', linkSchema), 2), readOnly: true }

  const fieldOf = (field: JsonSchema, purpose: Purpose, shown: JsonSchema | undefined): Node => {
    if (field.asShown && shown) return { anyOf: [addObject(shown, 'shown'), { type: 'null' }] }
    if (field.properties) return addObject(field, purpose, { shown })
    if (field.items?.properties) return { ...toJsonSchema(field), items: addObject(field.items, purpose) }
    if (field.readOnly && !field.type)
      return { ...(shown ? fieldOf(shown, 'shown', undefined) : {}), readOnly: true }
    return toJsonSchema(field)
  }

  return { schemas, addObject, add, refer }
}

const purposeTexts: Readonly<Record<Purpose, string>> = {
  shown: 'as responses show it',
  new: 'as it is created',
  update: 'as a request replaces it: an omitted optional field becomes null',
  patch: 'as a merge patch (RFC 7396): an omitted field keeps its value, null clears it',
}

const lengths = ['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minimum', 'maximum']
const standardKeywords = ['type', ...lengths, 'format', 'readOnly', 'writeOnly']

const maxLengths: Readonly<Record<string, number>> = { uuid: 36, date: 10, 'date-time': 29 }

/** Translates our own keywords to JSON Schema. */
const toJsonSchema = (schema: JsonSchema): Node => {
  const field = schema as Node
  const published: Record<string, unknown> = {}
  // The largest exact number of JSON is the default of `whole`, not a limit of the field.
  for (const name of standardKeywords)
    if (field[name] !== undefined && field[name] !== Number.MAX_SAFE_INTEGER) published[name] = field[name]
  if (schema.items)
    Object.assign(published, {
      items: { ...toJsonSchema(schema.items), xml: schema.items.xml },
      xml: { wrapped: true },
    })
  if (schema.type?.includes('integer')) published.format = 'int64'
  if (field.plain) published.pattern = xmlTextPattern
  const maxLength = maxLengths[String(field.format)]
  if (maxLength) published.maxLength ??= maxLength
  if (field.format === 'date-time' && !field.zone) {
    // The service accepts some forms that RFC 3339 does not have, and refuses some that it has.
    published.format = undefined
    published.pattern = instantShape.source
  }
  const codes = field['x-extensible-enum'] as readonly string[] | undefined
  if (codes) published.enum = isNullable(field) ? [...codes, null] : codes
  if (field.zone === 'utc') published.pattern = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$'
  if (field.zone === 'local')
    published.pattern = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d\\d:\\d\\d$'
  return published
}

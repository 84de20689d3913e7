import { instantShape, xmlTextPattern } from '#core/formats.ts'
import { isNullable } from '#core/schema.ts'
import { linkSchema } from '#http/message/representation/links.ts'
import { type JsonSchema, list, schemaName } from '#http/message/schema.ts'
import { capitalize, given, type Node, reference } from './node.ts'

/** The purpose of an object: to be shown in a response, or to be sent in one kind of request. */
export type Purpose = 'shown' | 'new' | 'update' | 'patch'

export type SchemaSet = ReturnType<typeof schemaSet>

interface ObjectParts {
  /** Gives the types of the fields that a request may repeat. */
  readonly shown?: JsonSchema | undefined
  /** The view, unless it is the full one. */
  readonly view?: string
}

const names: Readonly<Record<Purpose, (noun: string) => string>> = {
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

  const nameOf = (wanted: string) => (nouns.has(wanted) ? `Common${wanted}` : wanted)
  /** Refers to a schema that may be added later. */
  const refer = (name: string) => reference('schemas', nameOf(name))
  /** Adds a schema that is already plain JSON Schema. */
  const named = (name: string, schema: Node) => {
    schemas[nameOf(name)] ??= schema
    return refer(name)
  }

  /** Adds an object and the objects in it. */
  const record = (schema: JsonSchema, purpose: Purpose, { shown, view = '' }: ObjectParts = {}): Node => {
    const element = schemaName(schema)
    const name = capitalize(view) + names[purpose](capitalize(element))
    if (schemas[name]) return reference('schemas', name)
    schemas[name] = {}
    schemas[name] = {
      type: 'object',
      description: fields[name] ?? `${capitalize(element)}, ${purposes[purpose]}.`,
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
      return [name, name === 'links' ? links : given({ ...published, description })]
    })
    return Object.fromEntries(purpose === 'shown' ? [...entries, ['links', links]] : entries)
  }

  const onRequest = 'Present only if `links=true` was requested; ignored in a request.'
  const links: Node = { ...list(onRequest, named('Link', linkSchema), 2), readOnly: true }

  const fieldOf = (field: JsonSchema, purpose: Purpose, shown: JsonSchema | undefined): Node => {
    if (field.asShown && shown) return { anyOf: [record(shown, 'shown'), { type: 'null' }] }
    if (field.properties) return record(field, purpose, { shown })
    if (field.items?.properties) return { ...standard(field), items: record(field.items, purpose) }
    if (field.readOnly && !field.type)
      return { ...(shown ? fieldOf(shown, 'shown', undefined) : {}), readOnly: true }
    return standard(field)
  }

  return { schemas, object: record, named, refer }
}

const purposes: Readonly<Record<Purpose, string>> = {
  shown: 'as responses show it',
  new: 'as it is created',
  update: 'as a request replaces it: an omitted optional field becomes null',
  patch: 'as a merge patch (RFC 7396): an omitted field keeps its value, null clears it',
}

const lengths = ['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minimum', 'maximum']
const kept = ['type', ...lengths, 'format', 'readOnly', 'writeOnly']

const maxLengths: Readonly<Record<string, number>> = { uuid: 36, date: 10, 'date-time': 29 }

/** Translates our own keywords to JSON Schema. */
const standard = (schema: JsonSchema): Node => {
  const field = schema as Node
  const published: Record<string, unknown> = {}
  // The greatest number that JSON holds exactly is no limit of a field.
  for (const name of kept)
    if (field[name] !== undefined && field[name] !== Number.MAX_SAFE_INTEGER) published[name] = field[name]
  if (schema.items)
    Object.assign(published, {
      items: { ...standard(schema.items), xml: schema.items.xml },
      xml: { wrapped: true },
    })
  if (schema.type?.includes('integer')) published.format = 'int64'
  if (field.plain) published.pattern = xmlTextPattern
  const maxLength = maxLengths[String(field.format)]
  if (maxLength) published.maxLength ??= maxLength
  if (field.format === 'date-time' && !field.zone) {
    // The service accepts forms that RFC 3339 lacks, and refuses some that it has.
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

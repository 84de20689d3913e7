import { maxPageSize } from '#core/page.ts'
import { orderSchema, pageFields, sliceFields } from '#http/api/envelope.ts'
import { alteredSchema } from '#http/api/history.ts'
import { listRoot, type Route } from '#http/api/routes.ts'
import { type JsonSchema, list, object, schemaName } from '#http/message/schema.ts'
import { capitalize, type Node } from './node.ts'
import type { SchemaSet } from './schemas.ts'

export const itemSchema = ({ shows }: Route, schemas: SchemaSet): Node => {
  const [full, ...others] = Object.entries(shows).map(([view, schema]) =>
    schemas.addObject(schema, 'shown', view === 'full' ? {} : { view }),
  )
  if (!full || others.length === 0) return full ?? {}
  const name = `${capitalize(schemaName(shows.full))}View`
  return schemas.add(name, { description: 'The item in the requested view.', anyOf: [full, ...others] })
}

/** The three shapes of a list: all items, a page, and a slice reached by a cursor. */
export const listSchemas = (route: Route, schemas: SchemaSet): Node => {
  const items = itemSchema(route, schemas)
  const noun = capitalize(schemaName(route.shows.full))
  schemas.add('Order', orderSchema)
  const all = {
    type: 'array',
    description: 'All items, if no paging was requested.',
    xml: { name: listRoot(route), wrapped: true },
    items,
  }
  const page = envelope('A page selected by its number.', items, { fields: pageFields, schemas })
  const byCursor = 'A page selected by a cursor: the link `next` leads to the next one.'
  const slice = envelope(byCursor, items, { fields: sliceFields, schemas })
  return {
    anyOf: [
      schemas.add(`${noun}List`, all),
      schemas.add(`${noun}Page`, page),
      schemas.add(`${noun}Slice`, slice),
    ],
  }
}

export const historySchema = (route: Route, schemas: SchemaSet): Node => {
  const item = itemSchema({ ...route, shows: { full: route.shows.full } }, schemas)
  const noun = capitalize(schemaName(route.shows.full))
  const value = {
    description: 'Null if the change deleted the record, or if this version is not kept.',
    anyOf: [item, { type: 'null' }],
  }
  const version = object(
    'A change, and the record after it.',
    { change: schemas.refer('Change'), value, altered: alteredSchema },
    { xml: 'version', optional: ['altered'] },
  )
  const description = 'The changes of a record, newest first: the link `next` leads to earlier ones.'
  const versions = schemas.add(`${noun}Version`, version)
  return schemas.add(`${noun}History`, envelope(description, versions, { fields: sliceFields, schemas }))
}

interface EnvelopeParts {
  readonly fields: Readonly<Record<string, JsonSchema>>
  readonly schemas: SchemaSet
}

const envelope = (description: string, items: Node, { fields, schemas }: EnvelopeParts): Node =>
  object(
    description,
    {
      content: list('The items.', items, maxPageSize),
      ...Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [name, withItemReference(field, schemas)]),
      ),
    },
    { xml: 'page' },
  )

/** The field, with a reference to the schema of its items if it is a list. */
const withItemReference = (field: JsonSchema, schemas: SchemaSet): JsonSchema =>
  field.items ? { ...field, items: schemas.refer(capitalize(schemaName(field.items))) } : field

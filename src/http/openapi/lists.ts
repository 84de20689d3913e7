import { maxPageSize } from '#core/page.ts'
import { listRoot, type Route } from '#http/api/routes.ts'
import { pageFields, sliceFields } from '#http/api/wrapper.ts'
import { schemaName } from '#http/message/schema.ts'
import { capitalize, type Node, reference } from './node.ts'
import type { SchemaBook } from './schemas.ts'

/** An item in each of its views. */
export const itemSchema = ({ shows }: Route, schemas: SchemaBook): Node => {
  const [full, ...others] = Object.entries(shows).map(([view, schema]) =>
    schemas.object(schema, 'shown', view === 'full' ? {} : { view }),
  )
  if (!full || others.length === 0) return full ?? {}
  const name = `${capitalize(schemaName(shows.full))}View`
  return schemas.named(name, { description: 'The item in the requested view.', anyOf: [full, ...others] })
}

/** The three shapes of a list: all items, a page, and a slice reached by a cursor. */
export const listSchemas = (route: Route, schemas: SchemaBook): Node => {
  const items = itemSchema(route, schemas)
  const noun = capitalize(schemaName(route.shows.full))
  schemas.named('Order', order)
  const list = schemas.named(`${noun}List`, {
    type: 'array',
    description: 'All items, if no paging was requested.',
    xml: { name: listRoot(route), wrapped: true },
    items,
  })
  const page = schemas.named(
    `${noun}Page`,
    wrapper('A page selected by its number.', items, Object.keys(pageFields)),
  )
  const slice = schemas.named(
    `${noun}Slice`,
    wrapper(
      'A page selected by a cursor: the link `next` leads to the next one.',
      items,
      Object.keys(sliceFields),
    ),
  )
  return { anyOf: [list, page, slice] }
}

/** What a record was, newest first. */
export const historySchema = (route: Route, schemas: SchemaBook): Node => {
  const item = itemSchema({ ...route, shows: { full: route.shows.full } }, schemas)
  const noun = capitalize(schemaName(route.shows.full))
  const version = schemas.named(`${noun}Version`, {
    type: 'object',
    description: 'A change, and the record as it was after it.',
    xml: { name: 'version' },
    properties: {
      change: reference('schemas', 'Change'),
      value: {
        description: 'Null if the record was deleted, or what it was is not kept.',
        anyOf: [item, { type: 'null' }],
      },
    },
    required: ['change', 'value'],
    additionalProperties: false,
  })
  const description = 'The changes of a record, newest first: the link `next` leads to earlier ones.'
  return schemas.named(`${noun}History`, wrapper(description, version, Object.keys(sliceFields)))
}

const wrapper = (description: string, items: Node, names: readonly string[]): Node => ({
  type: 'object',
  description,
  xml: { name: 'page' },
  properties: {
    content: {
      type: 'array',
      description: 'The items.',
      maxItems: maxPageSize,
      xml: { wrapped: true },
      items,
    },
    ...Object.fromEntries(names.map((name) => [name, fields[name]])),
  },
  required: ['content', ...names],
  additionalProperties: false,
})

const whole = (description: string): Node => ({
  type: 'integer',
  format: 'int64',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description,
})

const flag = (description: string): Node => ({ type: 'boolean', description })

const fields: Readonly<Record<string, Node>> = {
  totalElements: whole('The number of items on all pages.'),
  totalPages: whole('The number of pages.'),
  size: whole('The maximum number of items per page, after any reduction to the limit of the service.'),
  number: whole('The number of this page, starting at 0.'),
  numberOfElements: whole('The number of items on this page.'),
  first: flag('Whether this is the first page.'),
  last: flag('Whether this is the last page.'),
  sort: {
    type: 'array',
    maxItems: 100,
    description: 'The requested sort orders.',
    xml: { wrapped: true },
    items: reference('schemas', 'Order'),
  },
  links: {
    type: 'array',
    maxItems: 4,
    description: 'Links to other pages, where they exist.',
    xml: { wrapped: true },
    items: reference('schemas', 'Link'),
  },
}

const order: Node = {
  type: 'object',
  description: 'One property that a list is sorted by.',
  xml: { name: 'order' },
  properties: {
    property: {
      type: 'string',
      description: 'The name of the property.',
      pattern: '^[A-Za-z.]+$',
      maxLength: 64,
    },
    direction: { type: 'string', description: 'Ascending or descending.', enum: ['asc', 'desc'] },
  },
  required: ['property', 'direction'],
  additionalProperties: false,
}

import { mostPageSize } from '#core/page.ts'
import { pageFields, sliceFields } from '#http/representation/wrapper.ts'
import { listRoot, type Route } from '#http/routes.ts'
import { schemaName } from '#http/schema.ts'
import { itemSchema } from './items.ts'
import { capitalize, type Node, reference } from './node.ts'
import type { SchemaBook } from './schemas.ts'

/** The three shapes of a list: all of it, a page, and a slice by a cursor. */
export const listSchemas = (route: Route, schemas: SchemaBook): Node => {
  const items = itemSchema(route, schemas)
  const noun = capitalize(schemaName(route.shows.full))
  schemas.named('Order', order)
  const list = schemas.named(`${noun}List`, {
    type: 'array',
    description: 'All of them, where no paging was asked for.',
    xml: { name: listRoot(route), wrapped: true },
    items,
  })
  const page = schemas.named(`${noun}Page`, wrapper('A page by its number.', items, Object.keys(pageFields)))
  const slice = schemas.named(
    `${noun}Slice`,
    wrapper("A page of a cursor's walk: the link `next` leads on.", items, Object.keys(sliceFields)),
  )
  return { anyOf: [list, page, slice] }
}

const wrapper = (description: string, items: Node, names: readonly string[]): Node => ({
  type: 'object',
  description,
  xml: { name: 'page' },
  properties: {
    content: {
      type: 'array',
      description: 'The items.',
      maxItems: mostPageSize,
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
  totalElements: whole('How many items there are on all pages.'),
  totalPages: whole('How many pages there are.'),
  size: whole('The most items of a page, as the service allowed it.'),
  number: whole('The number of this page, from 0.'),
  numberOfElements: whole('How many items this page has.'),
  first: flag('Whether this is the first page.'),
  last: flag('Whether this is the last page.'),
  sort: {
    type: 'array',
    maxItems: 100,
    description: 'The orders that were asked for.',
    xml: { wrapped: true },
    items: reference('schemas', 'Order'),
  },
  links: {
    type: 'array',
    maxItems: 4,
    description: 'Where the neighbouring pages are, as they apply.',
    xml: { wrapped: true },
    items: reference('schemas', 'Link'),
  },
}

const order: Node = {
  type: 'object',
  description: 'One property that a list is sorted by.',
  xml: { name: 'order' },
  properties: {
    property: { type: 'string', description: 'Its name.', pattern: '^[A-Za-z.]+$', maxLength: 64 },
    direction: { type: 'string', description: 'Rising or falling.', enum: ['asc', 'desc'] },
  },
  required: ['property', 'direction'],
  additionalProperties: false,
}

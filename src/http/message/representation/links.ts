import { type JsonSchema, object, text } from '#http/message/schema.ts'

export interface Link {
  readonly rel: string
  readonly href: string
}

export const linkSchema = object(
  'An address and its relation to the item or the list.',
  {
    rel: text('The relation (RFC 8288).', '^[a-z]+$', 16),
    href: { type: 'string', description: 'The address.', format: 'uri', maxLength: 8192 },
  },
  { xml: 'link' },
)

export const linksSchema: JsonSchema = { type: 'array', items: linkSchema }

export const itemLinks = (self: string): readonly Link[] => [
  { rel: 'self', href: self },
  { rel: 'collection', href: self.slice(0, self.lastIndexOf('/')) },
]

/** Makes links to the same list with other paging parameters. The other parameters of the query stay. */
export const listLinks =
  (url: string, query: URLSearchParams) =>
  (rel: string, change: Readonly<Record<string, string>>): Link => {
    const parameters = new URLSearchParams(query)
    for (const [name, value] of Object.entries(change)) parameters.set(name, value)
    return { rel, href: `${url}?${parameters}` }
  }

/** The value of a Link header field (RFC 8288). */
export const linkHeader = (links: readonly Link[]) =>
  links.map(({ rel, href }) => `<${href}>; rel="${rel}"`).join(', ')

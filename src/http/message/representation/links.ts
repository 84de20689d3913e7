import { type JsonSchema, textSchema } from '#http/message/schema.ts'

export interface Link {
  readonly rel: string
  readonly href: string
}

export const linksSchema: JsonSchema = {
  type: 'array',
  items: { type: 'object', xml: { name: 'link' }, properties: { rel: textSchema, href: textSchema } },
}

/** The links of one item: to itself, and to its collection. */
export const itemLinks = (self: string): readonly Link[] => [
  { rel: 'self', href: self },
  { rel: 'collection', href: self.slice(0, self.lastIndexOf('/')) },
]

/** Makes links to the same list with other paging parameters; the rest of the query stays. */
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

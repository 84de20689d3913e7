import type { Page, PageRequest, Slice, Sortable } from '#core/page.ts'
import { linkHeader, linkSchema, listLinks } from '#http/message/representation/links.ts'
import type { Writer } from '#http/message/representation/writer.ts'
import { xmlElement, xmlPrologue } from '#http/message/representation/xml-write.ts'
import { choice, flag, type JsonSchema, list, object, text, textSchema, whole } from '#http/message/schema.ts'
import type { ItemPresentation } from './presentation.ts'
import type { Versioned } from './routes.ts'

export interface ListPresentation extends ItemPresentation {
  readonly writer: Writer
  /** The address of the list, without its query. */
  readonly url: string
  /** The XML element of the list, such as `things`. */
  readonly root: string
  /** The property whose value is the last segment of an item's path. */
  readonly idProperty: string
}

export const orderSchema = object(
  'One property that a list is sorted by.',
  {
    property: text('The name of the property.', '^[A-Za-z0-9.]+$', 64),
    direction: choice('Ascending or descending.', ['asc', 'desc']),
  },
  { xml: 'order' },
)

/** The fields of a page other than its content. */
export const pageFields = {
  totalElements: whole('The number of items on all pages.'),
  totalPages: whole('The number of pages.'),
  size: whole('The maximum number of items per page, after any reduction to the limit of the service.'),
  number: whole('The number of this page, starting at 0.'),
  numberOfElements: whole('The number of items on this page.'),
  first: flag('Whether this is the first page.'),
  last: flag('Whether this is the last page.'),
  sort: list('The requested sort orders.', orderSchema, 100),
  links: list('Links to other pages, where they exist.', linkSchema, 4),
}

/** The fields of a page that was reached by a cursor. */
export const sliceFields = {
  size: pageFields.size,
  numberOfElements: pageFields.numberOfElements,
  links: pageFields.links,
}

export const pageBody = (
  { request, content, totalElements }: Page<Versioned>,
  query: URLSearchParams,
  presentation: ListPresentation,
) => {
  const totalPages = Math.ceil(totalElements / request.size)
  const link = listLinks(presentation.url, query)
  const links = pageLinks(request, totalPages).map(({ rel, number }) =>
    link(rel, { page: String(number), size: String(request.size) }),
  )
  const values = {
    totalElements,
    totalPages,
    size: request.size,
    number: request.number,
    numberOfElements: content.length,
    first: request.number === 0 || totalElements === 0,
    last: request.number >= totalPages - 1,
    sort: request.sort,
    links,
  }
  const fields = ['X-Total-Count', String(totalElements), 'Link', linkHeader(links)]
  return { fields, text: pageText(content, { values, schemas: pageFields }, presentation) }
}

const pageLinks = ({ number }: PageRequest, totalPages: number) => {
  const last = Math.max(totalPages - 1, 0)
  const links = [{ rel: 'first', number: 0 }]
  if (number > 0 && totalPages > 0) links.push({ rel: 'prev', number: Math.min(number - 1, last) })
  if (number < last) links.push({ rel: 'next', number: number + 1 })
  return [...links, { rel: 'last', number: last }]
}

interface SlicePresentation extends ListPresentation {
  readonly size: number
  /** Makes the token for the start of the next slice. */
  readonly makeToken: (after: readonly Sortable[]) => string
}

export const sliceBody = (
  { content, next }: Slice<Versioned>,
  query: URLSearchParams,
  presentation: SlicePresentation,
) => {
  const { size, url, makeToken } = presentation
  const linkTo = listLinks(url, query)
  const links = next ? [linkTo('next', { cursor: makeToken(next), size: String(size) })] : []
  const fields = links.length > 0 ? ['Link', linkHeader(links)] : []
  const values = { size, numberOfElements: content.length, links }
  return { fields, text: pageText(content, { values, schemas: sliceFields }, presentation) }
}

interface PageFields {
  readonly values: object
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

const pageText = (
  content: readonly Versioned[],
  { values, schemas }: PageFields,
  presentation: ListPresentation,
) => {
  if (presentation.format !== 'xml')
    return `{"content":[${elementsText(content, presentation)}],${JSON.stringify(values).slice(1)}`
  const rest = Object.entries(values).map(([name, value]) =>
    xmlElement(name, value, schemas[name] ?? textSchema),
  )
  return `${xmlPrologue}<page><content>${elementsText(content, presentation)}</content>${rest.join('')}</page>`
}

/** The text of these items within a list. */
export const elementsText = (
  items: readonly Versioned[],
  { writer, schema, format, selfUrl, hasSelectedFields, idProperty }: ListPresentation,
  write = writer.element,
): string => {
  const separator = format === 'xml' ? '' : ','
  const linkOf = (item: Versioned) =>
    selfUrl && `${selfUrl}/${(item as Versioned & Record<string, unknown>)[idProperty]}`
  let text = ''
  for (const item of items) {
    if (text !== '') text += separator
    text += write(item, { schema, format, selfUrl: linkOf(item), hasSelectedFields })
  }
  return text
}

import type { Order, Page, PageRequest, Slice, SliceRequest } from '#core/page.ts'
import { notOneOf, parametersInvalid } from '#core/problem.ts'
import type { ApiContext } from './api-context.ts'
import { integerParameter, type Parameter, type Query, readOnce } from './query.ts'
import type { Versioned } from './routes.ts'

/** Reads the items of a list. The filter includes the parameters of the path. */
export interface ListSource<F = never> {
  page(filter: F, request: PageRequest): Promise<Page<Versioned>>
  slice(filter: F, request: SliceRequest): Promise<Slice<Versioned>>
  /** All items, in batches, in order of creation. */
  stream(filter: F): AsyncIterable<readonly Versioned[]>
}

export type ListRequest =
  | { readonly kind: 'page'; readonly page: PageRequest }
  | { readonly kind: 'slice'; readonly slice: SliceRequest; readonly binding: string }
  | { readonly kind: 'stream' }

export interface Paging {
  readonly page: number | undefined
  readonly size: number | undefined
  readonly sort: readonly Order[] | undefined
  readonly cursor: string | undefined
}

const defaultSize = 20

/** True if a query asks for a page. This reads only the names of its parameters, because no value has been checked yet. */
export const asksForPage = (query: Query) => pagingNames.some((name) => query.has(name))

const pagingNames: readonly (keyof Paging)[] = ['page', 'size', 'sort', 'cursor']

/** A request with a paging parameter asks for a page, any other for the whole list (decision 0004). `binding` identifies the list. */
export const listRequest = (
  paging: Paging,
  binding: string,
  { pageSizeMax, cursors }: Pick<ApiContext, 'pageSizeMax' | 'cursors'>,
): ListRequest => {
  const { page, cursor, sort = [] } = paging
  if (Object.values(paging).every((value) => value === undefined)) return { kind: 'stream' }
  const size = Math.min(paging.size ?? defaultSize, pageSizeMax)
  if (cursor === undefined) return { kind: 'page', page: { number: page ?? 0, size, sort } }
  const after = cursor === '' ? undefined : cursors.read(cursor, binding)
  const target = 'cursor'
  if (page !== undefined)
    throw parametersInvalid([{ code: 'Pattern', wording: 'Pattern.beside', target, args: { other: 'page' } }])
  if (cursor !== '' && !after)
    throw parametersInvalid([{ code: 'Pattern', wording: 'Pattern.cursor', target }])
  return { kind: 'slice', binding, slice: { after, size, sort } }
}

/** The largest page number whose offset fits in 64 bits with any page size. */
const maxPage = 999_999_999_999_999

export const pagingParameters = (sortable: readonly string[]) => ({
  page: integerParameter('The page number, starting at 0.', {
    minimum: 0,
    maximum: maxPage,
    default: 0,
  }),
  size: integerParameter(
    'The maximum number of items per page. A larger value than the service allows is reduced to its limit.',
    { minimum: 1, default: defaultSize },
  ),
  sort: sortParameter(sortable),
  cursor: cursorParameter,
})

/** A URL of the permitted 8 KiB cannot hold more. */
const maxOrders = 1000

const sortParameter = (sortable: readonly string[]): Parameter<readonly Order[]> => ({
  schema: {
    type: 'array',
    items: { type: 'string', enum: sortable.flatMap((one) => [one, `${one},asc`, `${one},desc`]) },
    maxItems: maxOrders,
    examples: [[`${sortable[0]},desc`]],
  },
  description: `\`property[,asc|desc]\`, repeatable. Properties: ${sortable.join(', ')}.`,
  read(texts, target) {
    const orders = texts.map((text) => readOrder(text, sortable))
    const knownOrders = orders.filter((order) => order !== undefined)
    if (knownOrders.length === orders.length) return { value: knownOrders.filter(isFirstOfItsProperty) }
    return { refusal: notOneOf(target, sortable, 'Pattern.order') }
  },
})

/** A second order by the same property has no effect. */
const isFirstOfItsProperty = ({ property }: Order, at: number, orders: readonly Order[]) =>
  orders.findIndex((order) => order.property === property) === at

const readOrder = (text: string, sortable: readonly string[]): Order | undefined => {
  const [property = '', direction = 'asc', ...rest] = text.split(',')
  const isKnown = sortable.includes(property) && rest.length === 0
  return isKnown && (direction === 'asc' || direction === 'desc') ? { property, direction } : undefined
}

const cursorParameter: Parameter<string> = {
  schema: { type: 'string', maxLength: 8192, pattern: '^[A-Za-z0-9._~=-]*$' },
  description: 'Empty for the first page; for each further page, the cursor from the link `next`.',
  read: readOnce((value) => ({ value })),
}

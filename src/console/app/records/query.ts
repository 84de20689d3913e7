import { rowsPerPage } from '#console/app/state/preferences.ts'
import { go, hrefTo, replace } from '#console/app/state/route.ts'
import type { Kind } from './kind.ts'

export const pageSizes = [20, 50, 100] as const

export interface ListQuery {
  readonly text: string
  readonly sort: string
  readonly page: number
  readonly size: number
  readonly filters: Readonly<Record<string, string | undefined>>
  /** The columns to show beside the first, separated by commas. Undefined if the address names none. */
  readonly columns?: string | undefined
}

/** Sets the number of rows that all lists have from now on. */
export const chooseSize = (size: number | undefined) => {
  const chosen = pageSizes.find((one) => one === size)
  if (chosen) rowsPerPage.set(`${chosen}`)
}

const filtersIn = (kind: Kind, read: (filter: string) => string | null | undefined) =>
  Object.fromEntries(kind.filters().map(({ name }) => [name, read(name) || undefined]))

export const isFiltered = ({ filters }: ListQuery) => Object.values(filters).some(Boolean)

/** Reads the query of a list from the address. */
export const readQuery = (kind: Kind, query: URLSearchParams): ListQuery => ({
  columns: query.get('columns') ?? undefined,
  text: query.get(kind.searchParameter) ?? '',
  filters: filtersIn(kind, (filter) => query.get(filter)),
  sort: query.get('sort') ?? kind.defaultSort,
  page: Math.max(0, Number.parseInt(query.get('page') ?? '1', 10) - 1 || 0),
  size: pageSizes.find((size) => String(size) === query.get('size')) ?? Number(rowsPerPage.get()),
})

/** Puts the query of a list into the address, as a new history entry. */
export const pushQuery = (kind: Kind, query: ListQuery) => go(kind.plural, addressParametersOf(kind, query))

export const replaceQuery = (kind: Kind, query: ListQuery, opened?: OpenedRecord) =>
  replace(kind.plural, { ...addressParametersOf(kind, query), ...opened })

/** The last query of a list, for links back to the list, and the ids that the list showed. */
interface LastSeen {
  readonly query: ListQuery
  readonly ids: readonly string[]
}

const lastSeen = new Map<string, LastSeen>()

const lastSeenOf = (kind: Kind): LastSeen =>
  lastSeen.get(kind.plural) ?? { query: readQuery(kind, new URLSearchParams()), ids: [] }

export const rememberList = (kind: Kind, query: ListQuery, ids = lastSeenOf(kind).ids) =>
  void lastSeen.set(kind.plural, { query, ids })

/** The records before and after this one in the list that the user last saw. */
export const neighboursOf = (kind: Kind, id: string) => {
  const { ids } = lastSeenOf(kind)
  const at = ids.indexOf(id)
  return at < 0 ? [] : [ids[at - 1], ids[at + 1]]
}

export const hrefToList = (kind: Kind) => hrefOf(kind, lastSeenOf(kind).query)

/** The record that is open beside the list, and whether the user edits it there. */
export interface OpenedRecord {
  readonly open: string
  readonly edit?: 'yes'
}

export const hrefOf = (kind: Kind, query: ListQuery, opened?: OpenedRecord) =>
  hrefTo(kind.plural, { ...addressParametersOf(kind, query), ...opened })

export const hrefUnfiltered = (kind: Kind, query: ListQuery) =>
  hrefOf(kind, { ...query, filters: {}, page: 0 })

export const replaceWithList = (kind: Kind) => replaceQuery(kind, lastSeenOf(kind).query)

const addressParametersOf = (kind: Kind, { text, sort, page, size, filters, columns }: ListQuery) => ({
  columns,
  [kind.searchParameter]: text || undefined,
  ...filtersIn(kind, (filter) => filters[filter]),
  sort: sort === kind.defaultSort ? undefined : sort,
  page: page === 0 ? undefined : String(page + 1),
  size: String(size) === rowsPerPage.get() ? undefined : String(size),
})

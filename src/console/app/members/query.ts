import type { MemberFilters, MemberQuery } from '#console/app/api/members.ts'
import { rowCount } from '#console/app/state/preferences.ts'
import { go, hrefTo, replace } from '#console/app/state/route.ts'

export const sizes = [20, 50, 100] as const

/** Ids increase with the time of creation, and anyone who may see names may sort by them. */
const defaults = { name: '', sort: 'memberId,desc', page: 0 } as const

/** Lists have this many rows from now on. */
export const chooseSize = (size: number | undefined) => {
  const chosen = sizes.find((one) => one === size)
  if (chosen) rowCount.set(`${chosen}`)
}

const filterNames = ['genderCode', 'role', 'bornFrom', 'bornTo'] as const

/** Beside a text, the service takes no filter but the gender. */
export const isServed = (filter: keyof MemberFilters, name: string) => name === '' || filter === 'genderCode'

/** The filters of an address or a query, as far as they are served. */
const filtersIn = (name: string, given: (filter: keyof MemberFilters) => string | null | undefined) =>
  Object.fromEntries(
    filterNames.map((filter) => [filter, (isServed(filter, name) && given(filter)) || undefined]),
  ) as MemberFilters

export const isFiltered = (query: MemberQuery) => filterNames.some((filter) => query[filter])

/** What the list shows, read from the address. */
export const readQuery = (query: URLSearchParams): MemberQuery => ({
  ...filtersIn(query.get('name') ?? defaults.name, (filter) => query.get(filter)),
  name: query.get('name') ?? defaults.name,
  sort: query.get('sort') ?? defaults.sort,
  page: Math.max(0, Number.parseInt(query.get('page') ?? '1', 10) - 1 || 0),
  size: sizes.find((size) => String(size) === query.get('size')) ?? Number(rowCount.get()),
})

/** Puts it in the address as a new history entry, which Back undoes. */
export const pushQuery = (query: MemberQuery) => go('members', textsOf(query))

export const replaceQuery = (query: MemberQuery) => replace('members', textsOf(query))

/** The list as last seen, to which links back to it lead. */
let last: MemberQuery = readQuery(new URLSearchParams())

/** The members that it showed, in its order. */
let lastIds: readonly string[] = []

export const rememberList = (query: MemberQuery, ids: readonly string[] | undefined) => {
  last = query
  lastIds = ids ?? lastIds
}

/** The members before and after one in the list as last seen. */
export const neighboursOf = (memberId: string) => {
  const at = lastIds.indexOf(memberId)
  return at < 0 ? [] : [lastIds[at - 1], lastIds[at + 1]]
}

export const hrefToList = () => hrefOf(last)

export const hrefOf = (query: MemberQuery) => hrefTo('members', textsOf(query))

export const hrefUnfiltered = ({ name, sort, size }: MemberQuery) => hrefOf({ name, sort, size, page: 0 })

export const replaceWithList = () => replaceQuery(last)

const textsOf = ({ name, sort, page, size, ...filters }: MemberQuery) => ({
  name: name || undefined,
  ...filtersIn(name, (filter) => filters[filter]),
  sort: sort === defaults.sort ? undefined : sort,
  page: page === 0 ? undefined : String(page + 1),
  size: String(size) === rowCount.get() ? undefined : String(size),
})

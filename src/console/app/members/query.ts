import type { MemberQuery } from '#console/app/api/members.ts'
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

/** What the list shows, read from the address. */
export const readQuery = (query: URLSearchParams): MemberQuery => ({
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

export const hrefToList = () => hrefTo('members', textsOf(last))

export const replaceWithList = () => replaceQuery(last)

const textsOf = ({ name, sort, page, size }: MemberQuery) => ({
  name: name || undefined,
  sort: sort === defaults.sort ? undefined : sort,
  page: page === 0 ? undefined : String(page + 1),
  size: String(size) === rowCount.get() ? undefined : String(size),
})

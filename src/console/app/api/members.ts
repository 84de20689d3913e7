import {
  type Done,
  isReduced,
  type MemberFilter,
  type MemberSort,
  type PageOf,
  type PageQuery,
  type SeenMember,
  type SortBy,
} from '#client/index.ts'
import { store } from '#console/app/state/store.ts'
import { members, type ReadOptions, readSignedIn, take, walk, walkSize } from './call.ts'
import { failureOf } from './failure.ts'

/** The filters of a list, without its search text. */
type MemberFilters = Pick<MemberFilter, 'genderCode' | 'role' | 'withoutPassword' | 'bornFrom' | 'bornTo'>

export interface MemberQuery extends MemberFilters {
  readonly name: string
  readonly sort: string
  readonly page: number
  readonly size: number
}

/** True if the user sees only the names of others, judged by the last non-empty list. Such a user may not add members either. */
export const seesOnlyNames = store(false)

/** Members with the same family name are sorted by first name. */
const sortOf = (sort: string) =>
  (sort.startsWith('lastName') ? [sort, sort.replace('last', 'first')] : [sort]) as SortBy<MemberSort>[]

/** A page with its entity tag, so that the page is sent again only if it has changed. */
export type PageAnswer = Done<PageOf<SeenMember>>

/** The longest text that the service searches for. */
export const maxSearchLength = 128

/** A user who sees only names can search only by names: the service refuses `q`. */
const searchOf = (name: string) => name && { [seesOnlyNames.get() ? 'name' : 'q']: name }

export const findMembers = (
  { name, sort, ...rest }: MemberQuery,
  options: ReadOptions,
  previous?: PageAnswer,
): Promise<PageAnswer> => {
  const query = { ...rest, sort: sortOf(sort) }
  return readPage({ ...query, ...searchOf(name) }, options, previous).catch((error) => {
    // The first search of a user who sees only names is refused, because the page does not know that yet.
    if (!name || failureOf(error).status !== 400) throw error
    return readPage({ ...query, name }, options, previous)
  })
}

const readPage = async (
  query: MemberFilter & PageQuery<MemberSort>,
  options: ReadOptions,
  known: PageAnswer | undefined,
) => {
  const page = await readSignedIn((init) => members.page(query, { ...init, known }), options, known)
  const { content } = page.value
  if (content.length > 0) seesOnlyNames.set(content.some(isReduced))
  return page
}

/** A page of one item, which includes the total count. */
export const countMembers = (options: ReadOptions, known?: PageAnswer) =>
  readPage({ size: 1 }, options, known)

/** Some members who have a birthday on this day of the year. In other years, a birthday on 29 February is on the 28th. */
export const findBirthdays = async (day: Date, size: number, options: ReadOptions) => {
  const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1)
  const query = { birthdayFrom: dayOfYear(day), birthdayTo: dayOfYear(next), size }
  return (await readPage(query, options, undefined)).value.content
}

const dayOfYear = (day: Date) =>
  [day.getMonth() + 1, day.getDate()].map((number) => String(number).padStart(2, '0')).join('-')

/** The times at which the newest members were added. */
export const newestMemberTimes = async (options: ReadOptions): Promise<readonly string[]> => {
  const query = { size: walkSize, sort: 'memberId,desc', fields: ['createdAt'] } as const
  const found = await take(() => members.each(query, options), walkSize, options)
  return found.flatMap(({ createdAt }) => createdAt ?? [])
}

export const walkMembers = ({ name, sort, page: _, ...rest }: MemberQuery, signal: AbortSignal) => {
  const query = { ...rest, sort: sortOf(sort), size: walkSize, ...searchOf(name) }
  return walk((cursor) => members.pages({ ...query, cursor }, { signal }))
}

/** The roles of administrators and suspended members, by id. */
export const readRoles = async (options: ReadOptions) => {
  const found = new Map<string, string>()
  for (const role of ['administrator', 'suspended'] as const)
    for await (const page of walkMembers(
      { name: '', sort: 'memberId', page: 0, size: walkSize, role },
      options.signal,
    ))
      for (const { memberId } of page) found.set(memberId, role)
  return found
}

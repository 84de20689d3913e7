import {
  type CallOptions,
  type CredentialUpdate,
  type Done,
  isReduced,
  type Member,
  type MemberUpdate,
  type NewMember,
  type SeenMember,
} from '#client/index.ts'
import { store } from '#console/app/state/store.ts'
import { codePoints } from '#core/formats.ts'
import { ask, askForRead, members, type ReadOptions, walk, walkSize } from './ask.ts'
import { failureOf } from './failure.ts'

export interface MemberQuery {
  readonly name: string
  readonly sort: string
  readonly page: number
  readonly size: number
}

/** Whether the user sees only the names of others, judged by the last non-empty list. Such a user may not add members either. */
export const seesOnlyNames = store(false)

/** Equal family names are sorted by first name. */
const sortOf = (sort: string) => (sort.startsWith('lastName') ? [sort, sort.replace('last', 'first')] : sort)

/** A page that was read: the service sends it again only if it has changed. */
export type KnownPage = Done<MemberPage>

/** The longest texts that the service searches for. */
export const maxNameLength = 128
export const maxSignIdLength = 256

/** What the search text turned out to be: part of names or, if no name contains it, the sign id of a member. */
type FoundBy = 'name' | 'signId'

export interface FoundMembers {
  readonly by: FoundBy
  readonly page: KnownPage
  /** The result of the search by name, even if nobody was found by it; undefined if the text is too long for a name. */
  readonly byName: KnownPage | undefined
}

/** Returns what was found before, unless it has changed. */
export const findMembers = async (
  query: MemberQuery,
  options: ReadOptions,
  before?: FoundMembers,
): Promise<FoundMembers> => {
  const bySignIdBefore = before?.by === 'signId' ? before.page : undefined
  if (isTooLongForName(query.name)) {
    const page = await pageMembers(query, 'signId', options, bySignIdBefore)
    return before && page.status === 304 ? before : { by: 'signId', page, byName: undefined }
  }
  const byName = await pageMembers(query, 'name', options, before?.byName)
  const bySignId =
    query.name && byName.value.totalElements === 0
      ? await findSignId(query, options, bySignIdBefore)
      : undefined
  const by = bySignId ? 'signId' : 'name'
  const page = bySignId ?? byName
  return before?.by === by && page.status === 304 ? before : { by, page, byName }
}

/** Longer texts can only be sign ids. To a user who sees only names, the service says what is wrong with them. */
const isTooLongForName = (name: string) => codePoints(name) > maxNameLength && !seesOnlyNames.get()

const pageMembers = (
  { name, sort, ...query }: MemberQuery,
  by: FoundBy,
  options: ReadOptions,
  known: KnownPage | undefined,
) => readPage({ ...query, sort: sortOf(sort), ...(name && { [by]: name }) }, options, known)

/** Undefined if nobody signs in with it. The filter is refused to a user who sees only names. */
const findSignId = async (query: MemberQuery, options: ReadOptions, known: KnownPage | undefined) => {
  if (seesOnlyNames.get()) return undefined
  try {
    const page = await pageMembers(query, 'signId', options, known)
    return page.value.totalElements === 0 ? undefined : page
  } catch (error) {
    if (failureOf(error).status === 400) return undefined
    throw error
  }
}

const readPage = async (query: PageQuery, options: ReadOptions, known: KnownPage | undefined) => {
  const page = await askForRead(() => members.page(query, { signal: options.signal, known }), options)
  const { content } = page.value
  if (content.length > 0) seesOnlyNames.set(content.some(isReduced))
  return page
}

type PageQuery = Parameters<typeof members.page>[0]
type MemberPage = Extract<Awaited<ReturnType<typeof members.page>>, Done<unknown>>['value']

/** A page of one item, which includes the total count. */
export const countMembers = (options: ReadOptions, known?: KnownPage) => readPage({ size: 1 }, options, known)

/** All results of a search, in order. */
export const walkMembers = (
  { name, sort }: Pick<MemberQuery, 'name' | 'sort'>,
  by: FoundBy,
  signal: AbortSignal,
) => {
  const query = { sort: sortOf(sort), size: walkSize, ...(name && { [by]: name }) }
  return walk((cursor) => members.pages({ ...query, cursor }, { signal }))
}

/** Returns what was read before, unless it has changed. */
export const readMember = async (
  memberId: string,
  options: Partial<ReadOptions> = {},
  before?: Done<SeenMember>,
) => {
  const read = await askForRead(() => members.get(before ?? memberId, { signal: options.signal }), options)
  return before && read.status === 304 ? before : read
}

export const createMember = async (member: NewMember, options?: CallOptions) =>
  (await ask(() => members.create(member, options))).value

/** A known version of a member: a change applies only to this version. */
export type KnownMember = Pick<Done<Member>, 'value' | 'etag'>

/** The version to change; undefined if only the name is shown. */
export const toKnownMember = ({ value, etag }: Done<SeenMember>): KnownMember | undefined =>
  isReduced(value) ? undefined : { value, etag }

export const updateMember = (known: KnownMember, profile: MemberUpdate) =>
  ask(() => members.update(known, profile))

/** The service judges whether it is complete. */
interface CredentialChange {
  /** Null to keep it. */
  readonly signId: string | null
  readonly password: string | null
  readonly currentPassword: string | null
}

export const changeCredential = async (memberId: string, change: CredentialChange) =>
  (await ask(() => members.changeCredential(memberId, change as CredentialUpdate))).value

/** Deletes the version that was shown. */
export const removeMember = (known: Done<SeenMember>) => ask(() => members.remove(known))

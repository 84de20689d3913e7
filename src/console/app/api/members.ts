import {
  type CallOptions,
  type CredentialUpdate,
  type Done,
  isReduced,
  type Member,
  type MemberUpdate,
  type MemberView,
  type NewMember,
  type SeenMember,
} from '#client/index.ts'
import { store } from '#console/app/state/store.ts'
import { ask, type Look, look, members, until, walk, walkSize } from './ask.ts'

export interface MemberQuery {
  readonly name: string
  readonly sort: string
  readonly page: number
  readonly size: number
}

export const views = ['full', 'detailed', 'reduced'] as const
export type View = (typeof views)[number]

/** Whether whoever asks is shown others by name alone, as the last list with anybody in it told: then it may not add members either. */
export const seesNamesAlone = store(false)

/** Where family names are the same, the first name decides. */
const sortOf = (sort: string) => (sort.startsWith('lastName') ? [sort, sort.replace('last', 'first')] : sort)

/** A page as it was read: where nothing has changed since, it is not sent again. */
export type KnownPage = Done<MemberPage>

export const pageMembers = ({ name, sort, ...query }: MemberQuery, how: Look, known?: KnownPage) =>
  readPage({ ...query, sort: sortOf(sort), ...(name && { name }) }, how, known)

const readPage = async (query: PageQuery, how: Look, known: KnownPage | undefined) => {
  const page = await look(() => members.page(query, { signal: how.signal, known }), how)
  const { content } = page.value
  if (content.length > 0) seesNamesAlone.set(content.some(isReduced))
  return page
}

type PageQuery = Parameters<typeof members.page>[0]
type MemberPage = Extract<Awaited<ReturnType<typeof members.page>>, Done<unknown>>['value']

/** A page of one, which says how many there are. */
export const countMembers = (how: Look, known?: KnownPage) => readPage({ size: 1 }, how, known)

/** All that a search finds, in its order. */
export const walkMembers = ({ name, sort }: Pick<MemberQuery, 'name' | 'sort'>, signal: AbortSignal) => {
  const query = { sort: sortOf(sort), size: walkSize, ...(name && { name }) }
  return walk((cursor) => members.pages({ ...query, cursor }, { signal }))
}

export const viewMember = (memberId: string, view: View, signal?: AbortSignal): Promise<Done<MemberView>> =>
  ask<MemberView>(() => {
    if (view === 'reduced') return members.getReduced(memberId, until(signal))
    if (view === 'detailed') return members.getDetailed(memberId, until(signal))
    return members.get(memberId, until(signal))
  })

export const readMember = (memberId: string, signal?: AbortSignal) =>
  ask(() => members.get(memberId, until(signal)))

export const createMember = async (member: NewMember, options?: CallOptions) =>
  (await ask(() => members.create(member, options))).value

/** What is known of a member: it is changed only if it is still so. */
export type KnownMember = Pick<Done<Member>, 'value' | 'etag'>

/** What may be changed of what was read: nothing where no more than the name is shown. */
export const knownOf = ({ value, etag }: Done<SeenMember>): KnownMember | undefined =>
  isReduced(value) ? undefined : { value, etag }

export const updateMember = (known: KnownMember, profile: MemberUpdate) =>
  ask(() => members.update(known, profile))

/** Whether it is complete, the service judges. */
interface CredentialChange {
  readonly password: string | null
  readonly currentPassword: string | null
}

export const changeCredential = async (memberId: string, change: CredentialChange) =>
  (await ask(() => members.changeCredential(memberId, change as CredentialUpdate))).value

export const removeMember = async (memberId: string) => {
  await ask(() => members.remove(memberId))
}

import { mayGrant } from '#access/policy.ts'
import { type Clock, laterThan } from '#core/clock.ts'
import { noPassword } from '#core/password-hash.ts'
import { changedMeanwhile, conflict, type Detail, Problem, preconditionFailed } from '#core/problem.ts'
import type { Actor } from '#http/api/change.ts'
import type { Call } from '#http/api/routes.ts'
import { jsonWriter } from '#http/message/representation/json-write.ts'
import { timeParser } from '#resources/machine/values.ts'
import type { ResourceContext } from '#resources/resource.ts'
import { readDeletedRecord } from '#resources/restored.ts'
import { credentials } from './credential.ts'
import { memberNotFound, signIdInUse } from './messages.ts'
import type { NewLogin } from './rows.ts'
import type { Member, MemberRole, MemberShapes, MemberUpdate, NewMember, NewRole } from './schema.ts'
import { signIdOf } from './sign-id.ts'
import type { MemberStore } from './store.ts'

export type Asked = Pick<Call, 'expected' | 'actor'>

/** Also the caller, who must be allowed to give roles. */
type AskedRole = Asked & Pick<Call, 'principal'>

/** The hash of the password, and the id of the member if it is known. */
type Creating = Pick<Call<string, unknown, unknown>, 'actor' | 'prepared'> & {
  readonly principal?: Call['principal'] | undefined
  readonly id?: string | undefined
}

export interface MemberContext
  extends Pick<
    ResourceContext,
    | 'clock'
    | 'newId'
    | 'passwords'
    | 'isRefusedPassword'
    | 'isReservedSignId'
    | 'prove'
    | 'changes'
    | 'policy'
  > {
  readonly store: MemberStore
  readonly shapes: Pick<MemberShapes, 'added' | 'profileNames' | 'Member'>
}

export const memberService = (context: MemberContext) => {
  const { store, clock, newId, isReservedSignId, shapes, changes, policy } = context
  const read = timeParser(shapes.added)
  const stateOf = jsonWriter('UTC')(shapes.Member)
  /** A role has the entity tag and the date of its member, so these can be conditions for changing it. */
  const ofMember = (one: Member) => ({ versionedText: stateOf(one), lastModifiedAt: one.lastModifiedAt })
  const find = async (memberId: string): Promise<Member> => {
    const member = await store.find(memberId)
    if (!member) throw memberNotFound(memberId)
    return member
  }

  const findVersion = async (memberId: string, expected: number | undefined): Promise<Member> => {
    const member = await find(memberId)
    if (expected !== undefined && member.version !== expected) throw preconditionFailed()
    return member
  }

  const inserted = async (member: Member, login: NewLogin, actor: Actor): Promise<Member> => {
    const { signId } = member.credential
    const outcome = !isReservedSignId(signId) && (await store.insert(member, login, actor))
    if (outcome === false) throw signIdInUse(signId)
    requireNone(outcome)
    return member
  }

  return {
    page: store.page,
    slice: store.slice,
    stream: store.stream,
    find,
    ...credentials(context, findVersion),

    async create(
      { credential, role = null, ...profile }: NewMember,
      { prepared, principal, actor, id = newId() }: Creating,
    ): Promise<Member> {
      if (role !== null && !(principal && mayGrant(principal, 'members:role', policy)))
        throw mayNotGiveRoles()
      const signId = signIdOf(credential.signId, profile.emailAddress)
      const now = clock.now()
      const member: Member = {
        memberId: id,
        ...read(profile),
        credential: { signId, passwordLastChangedAt: now, lastModifiedAt: now },
        createdAt: now,
        lastModifiedAt: now,
        version: 1,
      }
      return inserted(member, { passwordHash: String(prepared), role }, actor)
    },

    /** The member comes back without a password and a role, because the log has neither. */
    async restore(memberId: string, { actor }: Pick<Call, 'actor'>): Promise<Member> {
      const sought = { resource: 'member', id: memberId, fields: shapes.added, find }
      const known = await readDeletedRecord<Member>(changes, sought)
      const lastModifiedAt = laterThan(known.lastModifiedAt, clock)
      const member = { ...known, lastModifiedAt, credential: { ...known.credential, lastModifiedAt } }
      return inserted(member, { passwordHash: noPassword }, actor)
    },

    async update(
      memberId: string,
      { credential: _, ...given }: MemberUpdate,
      { expected, actor }: Asked,
    ): Promise<Member> {
      const member = await findVersion(memberId, expected)
      const profile = read(given)
      const next = { ...member, ...profile, ...nextVersion(member, clock) }
      const changed = shapes.profileNames.filter((name) => next[name] !== member[name])
      const outcome = await store.replace(next, changed, actor)
      requireNone(outcome)
      if (!outcome) throw changedMeanwhile(expected)
      return next
    },

    async role(memberId: string): Promise<MemberRole> {
      const [role, member] = await Promise.all([store.role(memberId), find(memberId)])
      if (!role) throw memberNotFound(memberId)
      return { ...role, ...ofMember(member) }
    },

    async changeRole(memberId: string, { role }: NewRole, by: AskedRole): Promise<MemberRole> {
      const { expected, actor, principal } = by
      if (!mayGrant(principal, 'members:role', policy)) throw mayNotGiveRoles()
      const [member, known] = [await findVersion(memberId, expected), await store.role(memberId)]
      if (known?.role === role) return { ...known, ...ofMember(member) }
      const next = { ...member, ...nextVersion(member, clock) }
      if (!(await store.replaceRole(next, role, actor))) throw changedMeanwhile(expected)
      return { role, version: next.version, ...ofMember(next) }
    },

    /** A member that does not exist is 404 (decision 0005). */
    async remove(memberId: string, asked: Asked & Pick<Call, 'erases'>): Promise<undefined> {
      if (await (asked.erases ? store.erase : store.remove)(memberId, asked)) return
      await find(memberId)
      throw changedMeanwhile(asked.expected)
    },
  }
}

export type MemberService = ReturnType<typeof memberService>

const mayNotGiveRoles = () =>
  new Problem('forbidden', {
    details: [
      { code: 'Pattern', wording: 'Pattern.granted', target: 'role', args: { excess: 'members:role' } },
    ],
  })

const requireNone = (details: boolean | readonly Detail[]) => {
  if (typeof details !== 'boolean') throw conflict(undefined, details)
}

export const nextVersion = ({ version, lastModifiedAt }: Member, clock: Clock) => ({
  version: version + 1,
  lastModifiedAt: laterThan(lastModifiedAt, clock),
})

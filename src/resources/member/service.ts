import { canGrant } from '#access/policy.ts'
import { type Clock, laterThan } from '#core/clock.ts'
import { noPassword } from '#core/password-hash.ts'
import { changedMeanwhile, conflict, type Detail, Problem, preconditionFailed } from '#core/problem.ts'
import type { Actor } from '#http/api/change.ts'
import type { RouteCall } from '#http/api/routes.ts'
import { jsonWriter } from '#http/message/representation/json-write.ts'
import { timeParser } from '#resources/machine/values.ts'
import type { ResourceContext } from '#resources/resource.ts'
import { firstVersionOf, readDeletedRecord } from '#resources/restored.ts'
import { credentials } from './credential.ts'
import { memberNotFound, signIdInUse } from './messages.ts'
import type { NewCredentialSecrets } from './rows.ts'
import type { Member, MemberRole, MemberSchemas, MemberUpdate, NewMember, NewRole } from './schema.ts'
import { signIdOf } from './sign-id.ts'
import type { MemberStore } from './store.ts'

export type ChangeCall = Pick<RouteCall, 'expectedVersion' | 'actor'>

type RoleCall = ChangeCall & Pick<RouteCall, 'principal'>

/** `prepared` is the password hash. `id` is the id of the member if the caller has chosen it. */
type CreateCall = Pick<RouteCall<string, unknown, unknown>, 'actor' | 'prepared'> & {
  readonly principal?: RouteCall['principal'] | undefined
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
  readonly shapes: Pick<MemberSchemas, 'added' | 'profileNames' | 'Member'>
}

export const memberService = (context: MemberContext) => {
  const { store, clock, newId, isReservedSignId, shapes, changes, policy } = context
  const parseTimes = timeParser(shapes.added)
  const toJson = jsonWriter('UTC')(shapes.Member)
  /** The role has the entity tag and the date of its member, so that they can be conditions for changing it. */
  const tagOfMember = (one: Member) => ({ versionedText: toJson(one), lastModifiedAt: one.lastModifiedAt })
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

  const insert = async (member: Member, secrets: NewCredentialSecrets, actor: Actor): Promise<Member> => {
    const { signId } = member.credential
    const outcome = !isReservedSignId(signId) && (await store.insert(member, secrets, actor))
    if (outcome === false) throw signIdInUse(signId)
    throwFaults(outcome)
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
      { prepared, principal, actor, id }: CreateCall,
    ): Promise<Member> {
      if (role !== null && !(principal && canGrant(principal, 'members:role', policy)))
        throw roleNotPermitted()
      const signId = signIdOf(credential.signId, profile.emailAddress)
      const now = clock.now()
      const member: Member = {
        memberId: id ?? newId(),
        ...parseTimes(profile),
        credential: { signId, passwordLastChangedAt: now, lastModifiedAt: now },
        createdAt: now,
        lastModifiedAt: now,
        version: await firstVersionOf(
          { declaration: { name: 'member' }, changes, policy },
          { id, principal },
        ),
      }
      return insert(member, { passwordHash: String(prepared), role }, actor)
    },

    /** Creates a deleted member again, without a password or a role, because the log has neither. */
    async restore(memberId: string, { actor }: Pick<RouteCall, 'actor'>): Promise<Member> {
      const restoreRequest = { resource: 'member', id: memberId, fields: shapes.added, find }
      const known = await readDeletedRecord<Member>(changes, restoreRequest)
      const lastModifiedAt = laterThan(known.lastModifiedAt, clock)
      const member = { ...known, lastModifiedAt, credential: { ...known.credential, lastModifiedAt } }
      return insert(member, { passwordHash: noPassword }, actor)
    },

    async update(
      memberId: string,
      { credential: _, ...profile }: MemberUpdate,
      { expectedVersion, actor }: ChangeCall,
    ): Promise<Member> {
      const member = await findVersion(memberId, expectedVersion)
      const values = parseTimes(profile)
      const next = { ...member, ...values, ...nextVersion(member, clock) }
      const changed = shapes.profileNames.filter((name) => next[name] !== member[name])
      const outcome = await store.replace(next, changed, actor)
      throwFaults(outcome)
      if (!outcome) throw changedMeanwhile(expectedVersion)
      return next
    },

    async role(memberId: string): Promise<MemberRole> {
      const [role, member] = await Promise.all([store.role(memberId), find(memberId)])
      if (!role) throw memberNotFound(memberId)
      return { ...role, ...tagOfMember(member) }
    },

    async changeRole(memberId: string, { role }: NewRole, call: RoleCall): Promise<MemberRole> {
      const { expectedVersion, actor, principal } = call
      if (!canGrant(principal, 'members:role', policy)) throw roleNotPermitted()
      const [member, known] = [await findVersion(memberId, expectedVersion), await store.role(memberId)]
      if (known?.role === role) return { ...known, ...tagOfMember(member) }
      const next = { ...member, ...nextVersion(member, clock) }
      if (!(await store.replaceRole(next, role, actor))) throw changedMeanwhile(expectedVersion)
      return { role, version: next.version, ...tagOfMember(next) }
    },

    /** Throws if the member does not exist (decision 0005). */
    async remove(memberId: string, call: ChangeCall & Pick<RouteCall, 'isErasure'>): Promise<undefined> {
      if (await (call.isErasure ? store.erase : store.remove)(memberId, call)) return
      await find(memberId)
      throw changedMeanwhile(call.expectedVersion)
    },
  }
}

export type MemberService = ReturnType<typeof memberService>

const roleNotPermitted = () =>
  new Problem('forbidden', {
    details: [
      { code: 'Pattern', wording: 'Pattern.granted', target: 'role', args: { excess: 'members:role' } },
    ],
  })

const throwFaults = (details: boolean | readonly Detail[]) => {
  if (typeof details !== 'boolean') throw conflict(undefined, details)
}

export const nextVersion = ({ version, lastModifiedAt }: Member, clock: Clock) => ({
  version: version + 1,
  lastModifiedAt: laterThan(lastModifiedAt, clock),
})

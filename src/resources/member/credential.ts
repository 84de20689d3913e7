import { hasScopes, memberName } from '#access/principals.ts'
import { fold } from '#core/fold.ts'
import { changedMeanwhile, Problem } from '#core/problem.ts'
import type { RouteCall } from '#http/api/routes.ts'
import { commonPassword, currentPasswordWrong, signIdInUse } from './messages.ts'
import type { CredentialChange, Member, NewMember, NewPassword } from './schema.ts'
import { type MemberContext, nextVersion } from './service.ts'
import { signIdOf } from './sign-id.ts'

/** The results of the slow checks that precede the transaction of a change of a credential. */
export interface PreparedCredential {
  /** The member at the time of the checks. */
  readonly memberBefore: Member | undefined
  /** True if the caller has proved to know the password of that time. */
  readonly hasProvedPassword: boolean
  readonly passwordHash: string | undefined
  readonly refusal: Problem | undefined
  /** The invitation that the caller used. It must still be valid. */
  readonly invitationHash?: string
}

type CredentialCall = Pick<
  RouteCall<string, CredentialChange, PreparedCredential>,
  'body' | 'prepared' | 'expectedVersion' | 'principal' | 'actor'
>

export const credentials = (
  context: MemberContext,
  findVersion: (memberId: string, expected: number | undefined) => Promise<Member>,
) => {
  const { store, clock, passwords, isRefusedPassword, isReservedSignId, prove } = context

  /** Failures of a member who has signed in by password are counted apart from those of others, whose guesses could otherwise lock the member out. */
  const refuseWrongPassword = async (
    memberId: string,
    currentPassword: string,
    { id, stamp }: RouteCall['principal'],
  ) => {
    const hasSignedIn = id === memberId && stamp !== undefined
    const name = memberName(memberId) + (hasSignedIn ? '' : ' by others')
    const proof = await prove(name, async () => {
      const hash = await store.passwordHash(memberId)
      return (hash !== undefined && (await passwords.verify(hash, currentPassword))) || undefined
    })
    if (!proof) throw currentPasswordWrong()
  }

  /**
   * Another request may change the member while the password is hashed. This is a conflict unless `isUnchanged` accepts the new state
   * of the credential. A member who already has a reserved sign id may keep it or change its case.
   */
  const writeCredential = async (
    memberId: string,
    {
      body,
      prepared: { memberBefore, refusal, ...prepared },
      expectedVersion,
      principal,
      actor,
    }: CredentialCall,
    isUnchanged: (now: Member['credential'], then: Member['credential'] | undefined) => boolean,
  ): Promise<Member> => {
    const { passwordHash } = prepared
    for (let tries = 1; tries <= maxWriteAttempts; tries++) {
      const member = await findVersion(memberId, expectedVersion)
      if (refusal) throw refusal
      const before = member.credential
      if (!isUnchanged(before, memberBefore?.credential)) break
      const signId = body.signId === null ? before.signId : signIdOf(body.signId, member.emailAddress)
      if (isReservedSignId(signId) && fold(signId) !== fold(before.signId)) throw signIdInUse(signId)
      const changed = [
        ...(signId === before.signId ? [] : ['credential.signId']),
        ...(passwordHash === undefined ? [] : ['credential.password']),
      ]
      if (changed.length === 0) return member
      const next = withCredential(member, { signId, passwordHash }, nextVersion(member, clock))
      const change = { ...prepared, changed, callerHasScopes: hasScopes(principal) }
      const outcome = await store.replaceCredential(next, change, actor)
      if (outcome === 'administrator') throw new Problem('forbidden')
      if (outcome === 'sign id in use') throw signIdInUse(signId)
      if (outcome === 'done') return next
    }
    throw changedMeanwhile(expectedVersion)
  }

  const hashUnlessRefused = async (password: string, target: string): Promise<string> => {
    if (isRefusedPassword(password)) throw commonPassword(target)
    return passwords.hash(password)
  }

  return {
    passwordHash: ({ credential }: NewMember) =>
      hashUnlessRefused(credential.password, 'credential.password'),

    newPasswordHash: ({ password }: NewPassword) => hashUnlessRefused(password, 'password'),

    /** Members must send their own current password. Administrators may omit it for other members, but a wrong one is refused. */
    async prepareCredential(
      { password, currentPassword }: CredentialChange,
      { params, principal }: Pick<RouteCall<'/members/:memberId'>, 'params' | 'principal'>,
    ): Promise<PreparedCredential> {
      const { memberId } = params
      const memberBefore = await store.find(memberId)
      const hasProvedPassword =
        memberBefore !== undefined && (principal.id === memberId || currentPassword !== null)
      if (hasProvedPassword) await refuseWrongPassword(memberId, currentPassword ?? '', principal)
      const refusal =
        password !== null && isRefusedPassword(password) ? commonPassword('password') : undefined
      const passwordHash = password === null || refusal ? undefined : await passwords.hash(password)
      return { memberBefore, hasProvedPassword, passwordHash, refusal }
    },

    /** Replaces the credential. Refuses if the credential was changed while the password was hashed. */
    replaceCredential: (memberId: string, change: CredentialCall) =>
      writeCredential(memberId, change, (now, then) => now.lastModifiedAt === then?.lastModifiedAt),

    /** Changes some fields of the credential. If the caller had to prove the password, it must not have changed meanwhile. */
    changeCredential: (memberId: string, change: CredentialCall) =>
      writeCredential(
        memberId,
        change,
        (now, then) =>
          !change.prepared.hasProvedPassword || now.passwordLastChangedAt === then?.passwordLastChangedAt,
      ),

    /** Gives an invited member a password, and ends the invitation. */
    givePassword: (
      memberId: string,
      hashes: Record<'passwordHash' | 'invitationHash', string>,
      call: Pick<RouteCall, 'principal' | 'actor'>,
    ) => {
      const prepared = { memberBefore: undefined, hasProvedPassword: false, refusal: undefined, ...hashes }
      const body = { signId: null, password: null, currentPassword: null }
      return writeCredential(memberId, { ...call, body, prepared, expectedVersion: undefined }, () => true)
    },
  }
}

/** The maximum number of attempts to write while other requests change the member. */
const maxWriteAttempts = 20

const withCredential = (
  member: Member,
  { signId, passwordHash }: { readonly signId: string; readonly passwordHash: string | undefined },
  version: ReturnType<typeof nextVersion>,
): Member => {
  const { lastModifiedAt } = version
  const { passwordLastChangedAt } = member.credential
  return {
    ...member,
    ...version,
    credential: {
      signId,
      passwordLastChangedAt: passwordHash === undefined ? passwordLastChangedAt : lastModifiedAt,
      lastModifiedAt,
    },
  }
}

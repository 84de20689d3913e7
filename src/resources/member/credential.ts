import { hasScopes, memberName } from '#access/principals.ts'
import { fold } from '#core/fold.ts'
import { changedMeanwhile, Problem } from '#core/problem.ts'
import type { Call } from '#http/api/routes.ts'
import { commonPassword, currentPasswordWrong, signIdInUse } from './messages.ts'
import type { CredentialChange, Member, NewMember, NewPassword } from './schema.ts'
import { type MemberContext, nextVersion } from './service.ts'
import { signIdOf } from './sign-id.ts'

/** The slow checks of a change of a credential, made before its transaction. */
export interface PreparedCredential {
  /** The member as it was then. */
  readonly known: Member | undefined
  /** Whether the caller has proved the password of that moment. */
  readonly hasProved: boolean
  readonly passwordHash: string | undefined
  readonly refusal: Problem | undefined
  /** The invitation that the caller used. It must still be valid. */
  readonly invitationHash?: string
}

type ChangingCredential = Pick<
  Call<string, CredentialChange, PreparedCredential>,
  'body' | 'prepared' | 'expected' | 'principal' | 'actor'
>

export const credentials = (
  context: MemberContext,
  findVersion: (memberId: string, expected: number | undefined) => Promise<Member>,
) => {
  const { store, clock, passwords, isRefusedPassword, isReservedSignId, prove } = context

  /** Counts failures of a caller who signed in with the password separately, so that guesses by others cannot lock out the owner. */
  const refuseWrongPassword = async (
    memberId: string,
    currentPassword: string,
    { id, stamp }: Call['principal'],
  ) => {
    const hasProved = id === memberId && stamp !== undefined
    const name = memberName(memberId) + (hasProved ? '' : ' by others')
    const proof = await prove(name, async () => {
      const hash = await store.passwordHash(memberId)
      return (hash !== undefined && (await passwords.verify(hash, currentPassword))) || undefined
    })
    if (!proof) throw currentPasswordWrong()
  }

  /**
   * Other requests may change the member while the password is hashed. That is no conflict if `isUnchanged` accepts the
   * credential. A reserved sign id may stay, in any spelling, if the member already had it.
   */
  const writeCredential = async (
    memberId: string,
    { body, prepared: { known, refusal, ...prepared }, expected, principal, actor }: ChangingCredential,
    isUnchanged: (now: Member['credential'], then: Member['credential'] | undefined) => boolean,
  ): Promise<Member> => {
    const { passwordHash } = prepared
    for (let tries = 1; tries <= maxTries; tries++) {
      const member = await findVersion(memberId, expected)
      if (refusal) throw refusal
      const before = member.credential
      if (!isUnchanged(before, known?.credential)) break
      const signId = body.signId === null ? before.signId : signIdOf(body.signId, member.emailAddress)
      if (isReservedSignId(signId) && fold(signId) !== fold(before.signId)) throw signIdInUse(signId)
      const changed = [
        ...(signId === before.signId ? [] : ['credential.signId']),
        ...(passwordHash === undefined ? [] : ['credential.password']),
      ]
      if (changed.length === 0) return member
      const next = withCredential(member, { signId, passwordHash }, nextVersion(member, clock))
      const change = { ...prepared, changed, isByScopes: hasScopes(principal) }
      const outcome = await store.replaceCredential(next, change, actor)
      if (outcome === 'administrator') throw new Problem('forbidden')
      if (outcome === 'sign id in use') throw signIdInUse(signId)
      if (outcome === 'done') return next
    }
    throw changedMeanwhile(expected)
  }

  const hashed = async (password: string, target: string): Promise<string> => {
    if (isRefusedPassword(password)) throw commonPassword(target)
    return passwords.hash(password)
  }

  return {
    passwordHash: ({ credential }: NewMember) => hashed(credential.password, 'credential.password'),

    newPasswordHash: ({ password }: NewPassword) => hashed(password, 'password'),

    /** A member must prove its current password. An administrator need not, but if one is given, it must be right. */
    async prepareCredential(
      { password, currentPassword }: CredentialChange,
      { params, principal }: Pick<Call<'/members/:memberId'>, 'params' | 'principal'>,
    ): Promise<PreparedCredential> {
      const { memberId } = params
      const known = await store.find(memberId)
      const hasProved = known !== undefined && (principal.id === memberId || currentPassword !== null)
      if (hasProved) await refuseWrongPassword(memberId, currentPassword ?? '', principal)
      const refusal =
        password !== null && isRefusedPassword(password) ? commonPassword('password') : undefined
      const passwordHash = password === null || refusal ? undefined : await passwords.hash(password)
      return { known, hasProved, passwordHash, refusal }
    },

    /** Refused if the credential was changed since it was read. */
    replaceCredential: (memberId: string, change: ChangingCredential) =>
      writeCredential(memberId, change, (now, then) => now.lastModifiedAt === then?.lastModifiedAt),

    /** Fields that the patch leaves out keep their stored values. A password that the caller proved must still be current. */
    changeCredential: (memberId: string, change: ChangingCredential) =>
      writeCredential(
        memberId,
        change,
        (now, then) =>
          !change.prepared.hasProved || now.passwordLastChangedAt === then?.passwordLastChangedAt,
      ),

    /** Gives an invited member a password, and ends the invitation. */
    givePassword: (
      memberId: string,
      given: Record<'passwordHash' | 'invitationHash', string>,
      by: Pick<Call, 'principal' | 'actor'>,
    ) => {
      const prepared = { known: undefined, hasProved: false, refusal: undefined, ...given }
      const body = { signId: null, password: null, currentPassword: null }
      return writeCredential(memberId, { ...by, body, prepared, expected: undefined }, () => true)
    },
  }
}

/** How often the write is tried while other requests change the member. */
const maxTries = 20

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

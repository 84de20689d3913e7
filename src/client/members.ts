import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { collection } from './collection.ts'
import type { CallOptions } from './options.ts'
import type { Kind, KnownOf, Records } from './records.ts'
import type {
  CredentialPatch,
  CredentialUpdate,
  DetailedMember,
  Invitation,
  Invitations,
  MemberKind,
  MemberRole,
  MemberRoleUpdate,
  ReducedMember,
} from './types.ts'

export interface Members<K extends Kind = MemberKind> extends Records<K> {
  /** Returns only the id and the name of the member. */
  getReduced(memberId: string, options?: CallOptions): Promise<Answer<ReducedMember>>

  /** Returns the member without the credential, or only id and name if the caller may see no more. */
  getDetailed(memberId: string, options?: CallOptions): Promise<Answer<DetailedMember | ReducedMember>>

  /** Returns the role of the member. */
  getRole(memberId: string, options?: CallOptions): Promise<Answer<MemberRole>>

  /** Changes the role: makes the member an administrator or an ordinary member, or suspends the member. */
  changeRole(memberId: string, body: MemberRoleUpdate, options?: CallOptions): Promise<Answer<MemberRole>>

  /** Creates a link by which the member chooses a password. Only this answer contains the link. If the answer is lost, there is no retry. */
  invite(idOrItem: KnownOf<K>, options?: CallOptions): Promise<Answer<Invitation>>

  /** Invites at most 500 members as `invite` does. The answer also names the members who cannot be invited. */
  inviteAll(ids: readonly string[], options?: CallOptions): Promise<Answer<Invitations>>

  /** Deletes the member, even if already deleted, and all stored values of the member. The changes stay in the log, without values. */
  erase(idOrItem: KnownOf<K>, options?: CallOptions): Promise<Answer<undefined>>

  /** Replaces the credential of the member. If the answer is lost, there is no retry: sign in to see whether the change took effect. */
  changeCredential(
    idOrItem: KnownOf<K>,
    body: CredentialUpdate,
    options?: CallOptions,
  ): Promise<Answer<K['changed']>>

  /** Changes the sign id, the password, or both. If the answer is lost, a change with a `currentPassword` is not retried. */
  patchCredential(
    idOrItem: KnownOf<K>,
    body: CredentialPatch,
    options?: CallOptions,
  ): Promise<Answer<K['changed']>>
}

export const membersOf = (call: Call): Members => {
  const calls = collection(call, '/members')
  const { pathOf, change } = calls
  const readView =
    (view: string) =>
    <T>(memberId: string, options: CallOptions = {}) =>
      call<T>({ ...options, method: 'GET', path: pathOf(memberId), query: { view } })
  return {
    ...calls,
    getReduced: readView('reduced'),
    getDetailed: readView('detailed'),
    getRole: (memberId, options) => call({ ...options, method: 'GET', path: `${pathOf(memberId)}/role` }),
    changeRole: (memberId, body, options = {}) =>
      change(memberId, options, { method: 'PUT', path: '/role', body }),
    invite: (idOrItem, options = {}) =>
      call({ ...options, method: 'POST', path: `${pathOf(idOrItem)}/invitation`, isRepeatUnsafe: true }),
    inviteAll: (ids, options = {}) =>
      call({ ...options, method: 'POST', path: '/members/invitations', body: { ids }, isRepeatUnsafe: true }),
    erase: (idOrItem, options = {}) =>
      change(idOrItem, options, { method: 'DELETE', query: { erase: true } }),
    changeCredential: (idOrItem, body, options = {}) =>
      change(idOrItem, options, { method: 'PUT', path: '/credential', body, isRepeatUnsafe: true }),
    patchCredential: (idOrItem, body, options = {}) =>
      change(idOrItem, options, {
        method: 'PATCH',
        path: '/credential',
        body,
        ...(body.currentPassword && { isRepeatUnsafe: true }),
      }),
  }
}

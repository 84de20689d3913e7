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
  /** Only id and name. */
  getReduced(memberId: string, options?: CallOptions): Promise<Answer<ReducedMember>>

  /** Everything except the credential; only id and name if the caller may see no more. */
  getDetailed(memberId: string, options?: CallOptions): Promise<Answer<DetailedMember | ReducedMember>>

  /** The role of the member. */
  getRole(memberId: string, options?: CallOptions): Promise<Answer<MemberRole>>

  /** Makes the member an administrator, suspends it, or makes it an ordinary member. */
  changeRole(memberId: string, body: MemberRoleUpdate, options?: CallOptions): Promise<Answer<MemberRole>>

  /** Creates a link with which the member chooses a password. Only this answer contains it, so a lost answer is not retried. */
  invite(known: KnownOf<K>, options?: CallOptions): Promise<Answer<Invitation>>

  /** The same for at most 500 members. The answer names those that cannot be invited. */
  inviteAll(ids: readonly string[], options?: CallOptions): Promise<Answer<Invitations>>

  /** Deletes the member and all values kept of it, even if it was deleted before. Its changes stay in the log, without values. */
  erase(known: KnownOf<K>, options?: CallOptions): Promise<Answer<undefined>>

  /** Changes the credential of the member. Not repeated after a lost answer: sign in to see whether it took effect. */
  changeCredential(
    known: KnownOf<K>,
    body: CredentialUpdate,
    options?: CallOptions,
  ): Promise<Answer<K['changed']>>

  /** Changes the sign id, the password, or both. After a lost answer, a change with a `currentPassword` is not repeated. */
  patchCredential(
    known: KnownOf<K>,
    body: CredentialPatch,
    options?: CallOptions,
  ): Promise<Answer<K['changed']>>
}

export const membersOf = (call: Call): Members => {
  const all = collection(call, '/members')
  const { at, change } = all
  const view =
    (view: string) =>
    <T>(memberId: string, options: CallOptions = {}) =>
      call<T>({ ...options, method: 'GET', path: at(memberId), query: { view } })
  return {
    ...all,
    getReduced: view('reduced'),
    getDetailed: view('detailed'),
    getRole: (memberId, options = {}) => call({ ...options, method: 'GET', path: `${at(memberId)}/role` }),
    changeRole: (memberId, body, options = {}) =>
      change(memberId, options, { method: 'PUT', path: '/role', body }),
    invite: (known, options = {}) =>
      call({ ...options, method: 'POST', path: `${at(known)}/invitation`, isRepeatUnsafe: true }),
    inviteAll: (ids, options = {}) =>
      call({ ...options, method: 'POST', path: '/members/invitations', body: { ids }, isRepeatUnsafe: true }),
    erase: (known, options = {}) => change(known, options, { method: 'DELETE', query: { erase: true } }),
    changeCredential: (known, body, options = {}) =>
      change(known, options, { method: 'PUT', path: '/credential', body, isRepeatUnsafe: true }),
    patchCredential: (known, body, options = {}) =>
      change(known, options, {
        ...{ method: 'PATCH', path: '/credential', body },
        ...(body.currentPassword && { isRepeatUnsafe: true }),
      }),
  }
}

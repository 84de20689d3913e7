import { baseOf, retryingCall } from '#client/call.ts'
import { type Invitation, type Invitations, type Invited, unwrap } from '#client/index.ts'
import { callSignedIn, members } from './call.ts'
import { fetchAs } from './fetch.ts'

/** Makes a link by which the member chooses a password. */
export const inviteMember = async (memberId: string): Promise<Invitation> =>
  (await callSignedIn(() => members.invite(memberId))).value

/** Makes such links for at most 500 members. */
export const inviteMembers = async (ids: readonly string[]): Promise<Invitations> =>
  (await callSignedIn(() => members.inviteAll(ids))).value

const path = '/members/me/invitation'

const callAs = (secret: string) =>
  retryingCall(baseOf(''), { fetch: fetchAs(`Bearer ${secret}`), retries: 0 })

export const readInvited = async (secret: string): Promise<Invited> =>
  unwrap(await callAs(secret)<Invited>({ method: 'GET', path })).value

export const choosePassword = async (secret: string, password: string): Promise<Invited> =>
  unwrap(await callAs(secret)<Invited>({ method: 'PUT', path, body: { password }, isRepeatUnsafe: true }))
    .value

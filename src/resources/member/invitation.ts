import { randomBytes } from 'node:crypto'
import { hasScopes, invitedName } from '#access/principals.ts'
import type { Clock, Instant } from '#core/clock.ts'
import { changedMeanwhile, Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import type { RouteCall } from '#http/api/routes.ts'
import type { FindInvitation, ResourceContext, ValidInvitation } from '#resources/resource.ts'
import { memberNotFound, memberSuspended } from './messages.ts'
import type { Member } from './schema.ts'
import type { MemberService } from './service.ts'
import type { MemberStore } from './store.ts'

const validityMs = 7 * 24 * 60 * 60 * 1000

const secretBytes = 32

export type StoredInvitation = Omit<ValidInvitation, 'reread'>

interface InvitationContext extends Pick<ResourceContext, 'digest' | 'consoleUrl'> {
  readonly store: Pick<MemberStore, 'invite' | 'findInvitation'>
  readonly clock: Clock
}

/** Caches nothing, so that an invitation ends at once on every instance. */
export const invitationFinder = ({ store, clock, digest }: InvitationContext): FindInvitation => {
  const findByHash = async (hash: string): ReturnType<FindInvitation> => {
    const invitation = await store.findInvitation(hash)
    if (!invitation || invitation.endsAt <= clock.now()) return undefined
    return { ...invitation, reread: () => findByHash(hash) }
  }
  return (secret) => findByHash(digest(secret))
}

/** Makes and accepts links by which members choose a password. The service stores only keyed hashes of their secrets. */
export const invitations = (members: MemberService, context: InvitationContext) => {
  const { store, clock, digest, consoleUrl } = context
  const invite = async (memberId: string, { serviceUrl, principal }: InviteCall) => {
    const secret = `ri_${randomBytes(secretBytes).toString('base64url')}`
    const expiresAt = clock.now() + validityMs
    const invitation = { memberId, hash: digest(secret), endsAt: expiresAt }
    const outcome = await store.invite(invitation, hasScopes(principal))
    if (outcome !== 'done') return { memberId, refusal: refusalOfOutcome[outcome](memberId) }
    // The secret comes after the #, because browsers do not send that part to the server.
    return { memberId, url: `${consoleUrl(serviceUrl())}/#/invitation/${secret}`, expiresAt }
  }

  const toInvited = ({ firstName, lastName, memberId, credential, version }: Member, expiresAt: Instant) => ({
    memberId,
    firstName,
    lastName,
    signId: credential.signId,
    expiresAt,
    version,
  })

  return {
    async invite(memberId: string, call: InviteCall) {
      const outcome = await invite(memberId, call)
      if ('url' in outcome) return { ...outcome, version: 1 }
      throw outcome.refusal
    },

    /** The answer lists the members that cannot be invited, with the code of the reason. */
    async inviteAll(ids: readonly string[], call: InviteCall) {
      const outcomes = await Promise.all(ids.map((memberId) => invite(memberId, call)))
      return {
        invited: outcomes.filter((one) => 'url' in one),
        refused: outcomes.flatMap(({ memberId, refusal }) =>
          refusal ? [{ memberId, code: refusal.withCodes.code }] : [],
        ),
        version: 1,
      }
    },

    async find(memberId: string, principal: Principal) {
      const { endsAt } = await requireOwnInvitation(store, memberId, principal)
      return toInvited(await members.find(memberId), endsAt)
    },

    async accept(memberId: string, passwordHash: string, call: Pick<RouteCall, 'principal' | 'actor'>) {
      const { hash, endsAt } = await requireOwnInvitation(store, memberId, call.principal)
      const member = await members.givePassword(memberId, { passwordHash, invitationHash: hash }, call)
      return toInvited(member, endsAt)
    },
  }
}

type InviteCall = Pick<RouteCall, 'serviceUrl' | 'principal'>

const refusalOfOutcome = {
  unknown: memberNotFound,
  suspended: memberSuspended,
  administrator: () => new Problem('forbidden'),
}

/** Returns the invitation whose hash is in the name of the caller. Refuses callers without an invitation of this member. */
const requireOwnInvitation = async (
  store: Pick<MemberStore, 'findInvitation'>,
  memberId: string,
  { name }: Principal,
) => {
  if (!name.startsWith(invitedName(''))) throw new Problem('forbidden')
  const found = await store.findInvitation(name.slice(invitedName('').length))
  if (found?.memberId !== memberId) throw changedMeanwhile(undefined)
  return found
}

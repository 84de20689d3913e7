import type { Guard } from '#http/api/guard.ts'
import type { Principal } from '#http/api/principal.ts'

/** Identifies the caller, or throws the refusal. */
export type Authenticate = Guard['recognize']

export const anyone: Principal = { kind: 'anyone', name: 'anyone' }

export const administrator: Principal = { kind: 'administrator', name: 'administrator' }

/** A member who may sign in. */
export interface MemberAccess {
  readonly memberId: string
  readonly isAdministrator: boolean
  /** Changes with the credential and the role. */
  readonly stamp: string
  /** Changes with the credential alone. */
  readonly credentialStamp: string
}

export const memberPrincipal = (memberId: string, isAdministrator = false): Principal => ({
  kind: isAdministrator ? 'administrator' : 'member',
  name: memberName(memberId),
  id: memberId,
})

/** The name of a member as a principal. The prefix distinguishes members from all other principals. */
export const memberName = (memberId: string) => `member:${memberId}`

export const keyPrincipal = (
  name: string,
  scopes: readonly string[],
  reread: NonNullable<Principal['reread']>,
): Principal => ({ kind: 'key', name, scopes: new Set(scopes), reread })

/** The bearer of an invitation, who may choose a password and do nothing else. */
export const invitedPrincipal = (
  { memberId, hash, endsAt }: { readonly memberId: string; readonly hash: string; readonly endsAt: number },
  reread: NonNullable<Principal['reread']>,
): Principal => ({ kind: 'invited', name: invitedName(hash), id: memberId, until: endsAt, reread })

/** The name of the bearer of an invitation. The prefix distinguishes it from all other principals. */
export const invitedName = (hash: string) => `invitation:${hash}`

/** True if scopes limit the rights of the caller, as they do for keys and for tokens of the OAuth issuer. */
export const hasScopes = ({ scopes }: Principal) => scopes !== undefined

/** The principal of a token that names a subject. */
export const clientPrincipal = (subject: string, scopes: ReadonlySet<string>): Principal => ({
  kind: 'client',
  name: `client:${subject}`,
  scopes,
})

/** The principal of a token without a subject: the client. The prefix distinguishes a client from a subject with the same text. */
export const subjectlessPrincipal = (clientId: string, scopes: ReadonlySet<string>): Principal => ({
  kind: 'client',
  name: `client-id:${clientId}`,
  scopes,
})

export const openAccess: Authenticate = () => anyone

import type { Guard } from '#http/api/guard.ts'
import type { Principal } from '#http/api/principal.ts'

/** Finds the principal of a caller, or throws the refusal. */
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

/** The prefix tells members apart from all other principals. */
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

/** The prefix tells bearers of invitations apart from all other principals. */
export const invitedName = (hash: string) => `invitation:${hash}`

/** Whether the caller acts by scopes, with a key or a token of the issuer. */
export const hasScopes = ({ scopes }: Principal) => scopes !== undefined

/** The subject that a token names. */
export const clientPrincipal = (subject: string, scopes: ReadonlySet<string>): Principal => ({
  kind: 'client',
  name: `client:${subject}`,
  scopes,
})

/** The client that a token without a subject was issued to. It differs from a subject of the same name. */
export const subjectlessPrincipal = (clientId: string, scopes: ReadonlySet<string>): Principal => ({
  kind: 'client',
  name: `client-id:${clientId}`,
  scopes,
})

export const openAccess: Authenticate = () => anyone

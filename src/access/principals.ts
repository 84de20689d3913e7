import type { Guard, Principal, Prove } from '#http/api/guard.ts'

/** Finds out who is calling, or throws the refusal. */
export type Authenticate = Guard['recognize']

export const anyone: Principal = { kind: 'anyone', name: 'anyone' }

export const administrator: Principal = { kind: 'administrator', name: 'administrator' }

export const memberPrincipal = (memberId: string, prove?: Prove): Principal => ({
  kind: 'member',
  name: memberName(memberId),
  memberId,
  ...(prove && { prove }),
})

/** Tells members apart from all other principals. */
export const memberName = (memberId: string) => `member:${memberId}`

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

/** Nobody is asked who they are. */
export const openAccess: Authenticate = () => anyone

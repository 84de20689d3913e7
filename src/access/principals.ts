import type { Guard, Principal, Prove } from '#http/guard.ts'

/** Finds out who is asking, or throws what keeps them out. */
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

export const clientPrincipal = (subject: string, scopes: ReadonlySet<string>): Principal => ({
  kind: 'client',
  name: `client:${subject}`,
  scopes,
})

/** Nobody is asked who they are. */
export const openAccess: Authenticate = () => anyone

import type { IncomingMessage } from 'node:http'
import type { Origin } from './origin.ts'
import type { Route } from './routes.ts'

/** Who is asking. The name tells principals apart; it is no secret. */
export interface Principal {
  readonly kind: 'anyone' | 'administrator' | 'member' | 'client'
  readonly name: string
  readonly memberId?: string
  /** What a token says that its bearer may. */
  readonly scopes?: ReadonlySet<string>
  /** Runs one more check of its password, few at a time, and counts those that fail. */
  readonly prove?: Prove
}

export type Prove = <T>(check: () => Promise<T | undefined>) => Promise<T | undefined>

export interface Admission {
  readonly principal: Principal
  /** The most that may be shown: policy cuts views, routes do not. */
  readonly sees: 'full' | 'reduced'
}

/** The values of the parameters in a path, by their names. */
export type Params = Readonly<Record<string, string>>

/** The member that a path calls `me`: whoever asks, if that is a member. For all others `me` is an unknown id (decision 0007). */
export const memberCalledMe = ({ memberId }: Params, principal: Principal) =>
  memberId === 'me' ? principal.memberId : undefined

/** Where a request comes from. */
export interface Caller {
  readonly incoming: IncomingMessage
  readonly address: string
  readonly origin: Origin
}

/** Finds out who is asking, then what they may; either throws what keeps a request out. No route is reached without both. */
export interface Guard {
  recognize(caller: Caller): Principal | Promise<Principal>
  admit(principal: Principal, asked: Asked): Admission
}

/** What a caller asks for. */
export interface Asked {
  readonly route: Route
  readonly params: Params
  readonly caller: Caller
}

import type { IncomingMessage } from 'node:http'
import type { Exchange } from '#http/wire/exchange.ts'
import type { Origin } from '#http/wire/origin.ts'
import type { Route } from './routes.ts'

/** Who is making a request. The name identifies the principal; it is not secret. */
export interface Principal {
  readonly kind: 'anyone' | 'administrator' | 'member' | 'client'
  readonly name: string
  readonly memberId?: string
  /** What a token permits its bearer to do. */
  readonly scopes?: ReadonlySet<string>
  /** Runs one more check of the principal's password. Only a few run at a time, and failures are counted. */
  readonly prove?: Prove
}

export type Prove = <T>(check: () => Promise<T | undefined>) => Promise<T | undefined>

export interface Admission {
  readonly principal: Principal
  /** The most that may be shown: the policy cuts views, routes do not. */
  readonly sees: 'full' | 'reduced'
}

/** The values of the parameters in a path, by name. */
export type Params = Readonly<Record<string, string>>

/** The member that a path calls `me`: the caller, if it is a member. For all other callers `me` is an unknown id (decision 0007). */
export const memberCalledMe = ({ memberId }: Params, principal: Principal) =>
  memberId === 'me' ? principal.memberId : undefined

/** Where a request comes from. */
export interface Caller {
  readonly incoming: IncomingMessage
  /** The authority of a target in absolute form, which takes the place of Host. */
  readonly authority: string | undefined
  readonly address: string
  readonly exchange: Pick<Exchange, 'tried'>
  readonly origin: Origin
  /** What is in front of every path of the API that is called. */
  readonly prefix: string
}

/** Establishes who is asking, then what they may do; either throws what keeps a request out. No route is reached without both. */
export interface Guard {
  recognize(caller: Caller): Principal | Promise<Principal>
  admit(principal: Principal, request: AccessRequest): Admission
}

/** What a caller asks for. */
interface AccessRequest {
  readonly route: Route
  readonly params: Params
  readonly caller: Caller
}

import type { IncomingMessage } from 'node:http'
import type { Exchange } from '#http/wire/exchange.ts'
import type { Origin } from '#http/wire/origin.ts'
import type { Principal } from './principal.ts'

export interface Admission {
  readonly principal: Principal
  /** The fullest view that the caller may see. Decided by the policy, never by a route. */
  readonly view: 'full' | 'reduced'
  /** True if the path names the caller's own record. */
  readonly isOwn: boolean
}

/** The values of the parameters in a path, by name. */
export type Params = Readonly<Record<string, string>>

/** A caller before it is identified: its connection, its address, and the URLs it uses. */
export interface Caller {
  readonly incoming: IncomingMessage
  /** The authority of a target in absolute form, which replaces Host. */
  readonly authority: string | undefined
  readonly address: string
  readonly exchange: Pick<Exchange, 'triedSignId'>
  readonly origin: Origin
  /** The prefix of every path of this version of the API. */
  readonly prefix: string
}

/** Identifies callers and checks their rights, both before a route's handler is called. Throws the refusals. */
export interface Guard {
  recognize(caller: Caller): Principal | Promise<Principal>
  /** Identifies the caller again, because its credential may have been withdrawn since. Costs at most one lookup. */
  recognizeAgain(principal: Principal, caller: Caller): Principal | Promise<Principal>
  /** The parameters of a path that names the caller's own record by an alias. Undefined for any other path. */
  resolveAlias(params: Params, principal: Principal): Params | undefined
  admit(principal: Principal, request: AccessRequest): Admission
}

/** The facts about a request that the policy decides by. */
interface AccessRequest {
  /** The row of the policy, such as `things:update`. */
  readonly operation: string
  readonly params: Params
  readonly caller: Caller
}

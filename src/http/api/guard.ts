import type { IncomingMessage } from 'node:http'
import type { Exchange } from '#http/wire/exchange.ts'
import type { Origin } from '#http/wire/origin.ts'

/** The caller. The name identifies the principal; it is not secret. */
export interface Principal {
  readonly kind: 'anyone' | 'administrator' | 'member' | 'client' | 'key' | 'invited'
  readonly name: string
  /** The id of the caller's own record, if it has one. */
  readonly id?: string
  /**
   * A digest of the caller's password and role, if it signed in with a password. A token is bound to it, and nobody gets one
   * without it.
   */
  readonly stamp?: string
  /** When the caller's token or key ends. */
  readonly until?: number
  /** The scopes of the caller's token or key. */
  readonly scopes?: ReadonlySet<string>
  /**
   * Reads the principal again, from the calling unit's state of the database. Undefined if it has lost its access. Absent if the
   * database does not decide this.
   */
  readonly reread?: () => Promise<Principal | undefined>
}

/** The author of the changes of a request, and the changes so far. */
export interface Actor {
  readonly by: string
  readonly track: string
  /** In order, including changes that were not committed. */
  readonly made: Made[]
}

/** A change that is being made. */
export interface Made {
  readonly id: string
  readonly subject: string
  /** Set at commit. */
  readonly number?: number
  /** Removes the values of the record from the log entry. */
  erase(): void
}

export interface Admission {
  readonly principal: Principal
  /** The most that may be shown. Only the policy reduces views, routes do not. */
  readonly sees: 'full' | 'reduced'
  /** Whether the path is about the caller itself. */
  readonly isOwn: boolean
}

/** The values of the parameters in a path, by name. */
export type Params = Readonly<Record<string, string>>

/** The connection that a request came by. */
export interface Caller {
  readonly incoming: IncomingMessage
  /** The authority of a target in absolute form, which replaces Host. */
  readonly authority: string | undefined
  readonly address: string
  readonly exchange: Pick<Exchange, 'tried'>
  readonly origin: Origin
  /** The prefix of every path of this version of the API. */
  readonly prefix: string
}

/** Identifies the caller, then judges its rights; either throws a refusal. No route is reached without both. */
export interface Guard {
  recognize(caller: Caller): Principal | Promise<Principal>
  /** Identifies the caller again, because its right may have been withdrawn since. Costs at most one lookup. */
  again(principal: Principal, caller: Caller): Principal | Promise<Principal>
  /** The parameters of a path that names the caller's own record by an alias. Undefined for any other path. */
  own(params: Params, principal: Principal): Params | undefined
  admit(principal: Principal, request: AccessRequest): Admission
}

/** A request, as the policy judges it. */
interface AccessRequest {
  /** The policy row. */
  readonly operation: string
  readonly params: Params
  readonly caller: Caller
}

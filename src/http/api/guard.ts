import type { IncomingMessage } from 'node:http'
import type { Exchange } from '#http/wire/exchange.ts'
import type { Origin } from '#http/wire/origin.ts'

/** Who is making a request. The name identifies the principal; it is not secret. */
export interface Principal {
  readonly kind: 'anyone' | 'administrator' | 'member' | 'client' | 'key'
  readonly name: string
  /** The id of the record that the caller itself is, if it is one. */
  readonly id?: string
  /**
   * Changes with the password and the role of whoever signed in with a password. A token is made for it, and for nobody
   * without it.
   */
  readonly stamp?: string
  /** When the token or key ends that the caller came in with. */
  readonly until?: number
  /** What a token or a key permits its bearer to do. */
  readonly scopes?: ReadonlySet<string>
  /**
   * Reads again who this is, as the calling unit sees the database. Undefined if the caller has lost its right to come in. Absent
   * where the database does not decide that.
   */
  readonly still?: () => Promise<Principal | undefined>
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
  /** Known once it is committed. */
  readonly number?: number
  /** Leaves out of its entry in the log what the record was. */
  erase(): void
}

export interface Admission {
  readonly principal: Principal
  /** The most that may be shown: the policy cuts views, routes do not. */
  readonly sees: 'full' | 'reduced'
  /** Whether the path is about the caller itself. */
  readonly isOwn: boolean
}

/** The values of the parameters in a path, by name. */
export type Params = Readonly<Record<string, string>>

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
  /** Recognizes a caller again, whose right may have been withdrawn since. Costs at most one lookup. */
  again(principal: Principal, caller: Caller): Principal | Promise<Principal>
  /** The parameters of a path that calls the record of its caller by an alias. Undefined if it does not. */
  own(params: Params, principal: Principal): Params | undefined
  admit(principal: Principal, request: AccessRequest): Admission
}

/** What a caller asks for. */
interface AccessRequest {
  /** The policy row. */
  readonly operation: string
  readonly params: Params
  readonly caller: Caller
}

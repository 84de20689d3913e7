import type { Constraint, ErrorCode } from './codes.ts'

/** An address and its relation to the item or the list. */
export interface Link {
  /** The relation (RFC 8288). */
  readonly rel: string
  readonly href: string
}

export interface Linked {
  /** Present only if `links=true` was requested; ignored in a request. */
  readonly links?: readonly Link[]
}

/** One property that a list is sorted by. */
export interface Order {
  readonly property: string
  readonly direction: 'asc' | 'desc'
}

/** One committed change, as a CloudEvent 1.0. It names fields and holds no values. */
export interface Change {
  readonly specversion: '1.0'
  /** Identifies the change. */
  readonly id: string
  /** The path of the record. */
  readonly source: string
  /** The event, such as `todo.created`. */
  readonly type: string
  readonly time: string
  /** The identifier of the record. */
  readonly subject: string
  /** The number of the change. Numbers have no gaps. */
  readonly sequence: string
  readonly data: {
    /** The version of the record after the change. A deletion has one, too. */
    readonly version: number
    /** The names of the fields that it changed. */
    readonly changed: readonly string[]
    /** The author: `administrator`, the id of a member, or the name of a client. */
    readonly by: string
    /** The `X-Track` of the request. */
    readonly track: string
  }
}

/** Some changes, in the order in which they were committed. */
export interface Changes {
  readonly content: readonly Change[]
  /** Send it as `after` to get the changes that follow. */
  readonly cursor: string
  /** True if there may be more changes already: ask again without waiting. */
  readonly more: boolean
}

/** One change, handled like a request of its own. */
export interface BatchOperation {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path, with the prefix of the API, and its query. */
  readonly path: string
  /** The header fields of this operation. All others are those of the batch. */
  readonly headers?: { readonly [Name in OperationHeader]?: string }
  /** The body, as JSON. */
  readonly body?: object
}
type OperationHeader = 'Idempotency-Key' | 'If-Match' | 'If-None-Match' | 'If-Unmodified-Since' | 'Prefer'

/** Many changes in one request, carried out in this order. */
export interface NewBatch {
  /** If true, one refused operation undoes all others. */
  readonly atomic: boolean
  readonly operations: readonly BatchOperation[]
}

/** The answer to one operation. */
export interface BatchResponse {
  readonly status: number
  /** The header fields about this operation. */
  readonly headers: Readonly<Record<string, string>>
  /** The item, or the error by which the operation was refused. Null if the answer has no body. */
  readonly body: object | null
}

/** The answers, in the order of the operations. */
export interface Batch {
  readonly responses: readonly BatchResponse[]
}

/** A token of the caller. */
export interface Token extends Linked {
  /** Send it as `Authorization: Bearer`. */
  readonly token: string
  /** Twelve hours after it was made. */
  readonly expiresAt: string
}

interface MessageAndTarget {
  /** A sentence in the language of the request. */
  readonly message: string
  /** The field or parameter at fault. */
  readonly target?: string
  /** True if a rule of a declared resource refused the change. The message is then that of the rule. */
  readonly byRule?: boolean
}

/** One cause of an error. */
export interface ErrorDetail extends MessageAndTarget {
  /** The rule that was broken, or an error code. */
  readonly code: Constraint | ErrorCode
  /** The values that the field may have, if it has none of them. */
  readonly allowed?: readonly string[]
}

/** The reason for a refusal. */
export interface Error extends MessageAndTarget {
  readonly code: ErrorCode
  /** One entry for each failing field or cause; omitted if there are none. */
  readonly details?: readonly ErrorDetail[]
}

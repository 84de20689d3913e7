import type { Form } from '#http/message/representation/form.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import type { Admission, Params } from './guard.ts'
import type { Query } from './query.ts'

/** A request that has found its route and was admitted. */
export interface Visit {
  readonly exchange: Exchange
  readonly params: Params
  /** The id of the caller's own record, if the path calls it by an alias. */
  readonly self: string | undefined
  readonly admission: Admission
  /** Establishes again who the caller is and what it may do: its credential may have been withdrawn since it was admitted. */
  readonly admitAgain: () => Promise<Admission>
  readonly form: Form
  readonly query: Query
  /** The address of the resource, without query and suffix; made only where it is shown. */
  readonly url: () => string
}

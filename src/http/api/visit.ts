import type { Form } from '#http/message/representation/form.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import type { Actor, Admission, Params } from './guard.ts'
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
  /** The same for all operations of a batch. */
  readonly actor: Actor
  readonly form: Form
  readonly query: Query
  /** The address of the resource, without query and suffix; made only where it is shown. */
  readonly url: () => string
}

/** A caller is admitted again after anything that took time, such as a body that came late. */
export const admittedAgain = async (visit: Visit, isLate: boolean): Promise<Visit> =>
  isLate ? { ...visit, admission: await visit.admitAgain() } : visit

import type { Format } from '#http/message/representation/format.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import type { Actor } from './change.ts'
import type { Admission, Params } from './guard.ts'
import type { Query } from './query.ts'

/** An admitted request and its route. */
export interface AdmittedRequest {
  readonly exchange: Exchange
  readonly params: Params
  /** The id of the caller's own record, if the path names it by an alias. */
  readonly aliasedId: string | undefined
  readonly admission: Admission
  /** Identifies and admits the caller again, because its credential may have been withdrawn since. */
  readonly admitAgain: () => Promise<Admission>
  /** The author of the request's changes. All operations of a batch have the same actor. */
  readonly actor: Actor
  readonly format: Format
  readonly query: Query
  /** The URL of the item or list, without query and suffix. A function, because few answers need it. */
  readonly url: () => string
  /** The URL at which the caller reaches the service, without a trailing slash. */
  readonly serviceUrl: () => string
}

/** Admits a caller again after slow work, such as reading a body that came late. */
export const readmit = async (request: AdmittedRequest): Promise<AdmittedRequest> => ({
  ...request,
  admission: await request.admitAgain(),
})

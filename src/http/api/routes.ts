import type { Schema, ValueOf } from '#core/schema.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { Actor } from './change.ts'
import type { Params } from './guard.ts'
import type { ListSource } from './paging.ts'
import type { Principal } from './principal.ts'
import type { Filter, FilterValues } from './query.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Versioned {
  readonly version: number
  readonly lastModifiedAt?: number
  /** Shown text that is not part of the version. If it changes, so does the ETag, but an older `If-Match` stays valid. */
  readonly unversionedText?: string
  /** The part of the shown text that belongs to the version. Absent if everything that is shown belongs to it. */
  readonly versionedText?: string
}

/** The ways to show an item: the full view and further views, by name. */
export interface Views {
  readonly full: JsonSchema
  readonly [view: string]: JsonSchema
}

export interface RouteCall<Path extends string = string, Body = unknown, Prepared = unknown> {
  readonly params: { readonly [K in ParamNames<Path>]: string }
  readonly body: Body
  /** The result of `prepare` for this body. */
  readonly prepared: Prepared
  /** The version that must still be current: the one that the caller required, or the one that its patch was applied to. */
  readonly expectedVersion: number | undefined
  readonly principal: Principal
  /** The author that the log of changes names for this call. */
  readonly actor: Actor
  /** True if a deletion also erases the record's values in its history and in stored answers. */
  readonly isErasure: boolean
  /** The URL at which the caller reaches the service, without a trailing slash. */
  readonly serviceUrl: () => string
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

interface Operation {
  /** The row of the policy that decides who may do this, such as `things:update`. */
  readonly operation: string
  readonly summary: string
  /** Codes of the resource's own refusals, for the OpenAPI document. */
  readonly refusals?: readonly string[]
  /** Set if the route cannot be an operation of a batch. A route whose answer has a secret never can. */
  readonly notInBatch?: true
}

interface PreparedBody<S, Prepared> {
  /** The body for a caller who changes its own record, if such a caller must send more. */
  readonly ownBody?: Schema<ValueOf<S>, unknown>
  /** Does slow work, such as hashing a password. In a batch, this happens before the transaction begins. */
  readonly prepare?: (body: ValueOf<S>, call: Pick<RouteCall, 'params' | 'principal'>) => Promise<Prepared>
}

interface ItemOperation extends Operation {
  readonly shows: Views
  /** Set if Last-Modified is known although no field of the item shows it. */
  readonly hasLastModified?: true
  /** Set if the answer shows a secret. It is neither stored nor cached, and a repetition with the same `Idempotency-Key` is refused. */
  readonly showsSecret?: true
}

interface CreateOperation<S, Prepared> extends ItemOperation, Omit<PreparedBody<S, Prepared>, 'ownBody'> {
  readonly body?: S
  /** The property whose value is the last segment of the new item's path. */
  readonly idProperty?: string
}

interface ChangeOperation extends ItemOperation {
  /** True if a change must name the version that it changes, if a setting of the service requires that. */
  readonly requiresVersion?: boolean
  /** The path of the item that is changed, if it differs from the route's path. */
  readonly changedPath?: string
}

export interface Upload<F extends Filter = Filter, Stored = unknown> {
  readonly limitBytes: number
  readonly parameters: F
  /** Stores the pieces as they arrive. They have no effect until the route's handler is called with the result. */
  store(pieces: AsyncIterable<Uint8Array>): Promise<Stored>
}

interface UploadOperation<F extends Filter, Stored> extends ItemOperation {
  readonly idProperty: string
  readonly listPath: string
  readonly upload: Upload<F, Stored>
}

interface ListOperation<F extends Filter> extends ItemOperation, Omit<ListRoute, 'filter' | 'source'> {
  readonly filter: F
}

export interface ListRoute {
  readonly filter: Filter
  /** The properties that the list may be sorted by. */
  readonly sortable: readonly string[]
  /** The property whose value is the last segment of an item's path. */
  readonly idProperty: string
  readonly source: ListSource
  /** Refuses a path whose resource is missing or hidden from the caller. */
  readonly requireVisible?: (
    call: Pick<RouteCall, 'principal'> & { readonly params: Params },
  ) => Promise<unknown>
}

/** One row of the table of routes. Dispatch, Allow, the policy and the OpenAPI document follow from it. */
export interface Route extends ChangeOperation {
  readonly method: Method
  readonly path: string
  readonly body?: Schema
  readonly ownBody?: Schema
  /** Set if the handler applies the patch itself, because GET does not show what it changes. */
  readonly handlerAppliesPatch?: true
  readonly idProperty?: string
  readonly prepare?: (body: never, call: Pick<RouteCall, 'params' | 'principal'>) => Promise<unknown>
  /** The path of the list that gets the new item, if it differs from the route's path. */
  readonly listPath?: string
  readonly upload?: Upload
  /** Set if the body lists operations, which are requests to other routes. */
  readonly isBatch?: true
  readonly list?: ListRoute
  /** The types of changes, if the route is the feed of changes. */
  readonly feed?: readonly string[]
  /** The row of the policy that decides who may also erase the history with this deletion. */
  readonly erasureOperation?: string
  /** Set if the route shows the history of a record. Its handler finds the record, and is called only if there are no changes. */
  readonly isHistory?: true
  readonly handle: (call: RouteCall<string, never, never>) => Promise<Versioned | undefined>
}

/** The XML element of a list: the last part of its path. */
export const listRoot = ({ path }: Route) => path.slice(path.lastIndexOf('/') + 1)

/** The route that shows the item which this one changes, if there is one. */
export const itemRouteOf = ({ path, changedPath = path }: Route, table: readonly Route[]) =>
  table.find((route) => route.method === 'GET' && route.path === changedPath)

/** True if the body is a merge patch for the item that GET shows. */
export const mergesPatch = ({ method, handlerAppliesPatch }: Route) =>
  method === 'PATCH' && !handlerAppliesPatch

/** True if the route changes an existing item, rather than adding one. */
export const changesItem = ({ method, changedPath }: Route) => method !== 'POST' || changedPath !== undefined

/** True if the time of the item's last change is known. */
export const hasLastModified = ({ shows, hasLastModified }: Route) =>
  hasLastModified ?? shows.full.properties?.lastModifiedAt !== undefined

type Handler<Path extends string, Body, Result, Prepared = unknown> = (
  call: RouteCall<Path, Body, Prepared>,
) => Promise<Result>

const noView: Views = { full: {} }

/** Collects the routes of all resources. */
export const routes = () => {
  const table: Route[] = []
  const add = (route: Route) => void table.push(route)
  return {
    table: table as readonly Route[],

    list<F extends Filter>(path: string, options: ListOperation<F>, source: ListSource<FilterValues<F>>) {
      const { filter, sortable, idProperty, requireVisible, ...rest } = options
      const list = { filter, sortable, idProperty, source, ...(requireVisible && { requireVisible }) }
      add({ ...rest, method: 'GET', path, list, handle: async () => undefined })
    },

    feed(path: string, options: Operation & { readonly feed: readonly string[] }) {
      add({ ...options, shows: noView, method: 'GET', path, handle: async () => undefined })
    },

    /** Adds the history of a record. `find` is called if the record has no changes. */
    history<P extends string>(path: P, options: ItemOperation, find: Handler<P, never, Versioned>) {
      add({ ...options, method: 'GET', path, isHistory: true, handle: find })
    },

    get<P extends string>(path: P, options: ItemOperation, handle: Handler<P, never, Versioned>) {
      add({ ...options, method: 'GET', path, handle })
    },

    post<P extends string, S extends Schema, Prepared = undefined>(
      path: P,
      options: CreateOperation<S, Prepared>,
      handle: Handler<P, ValueOf<S>, Versioned, Prepared>,
    ) {
      add({ ...options, method: 'POST', path, handle })
    },

    /** Adds a change without a body, such as `/revoke`, to the item at `changedPath`. */
    action<P extends string>(
      path: P,
      options: ItemOperation & { readonly changedPath: string },
      handle: Handler<P, never, Versioned>,
    ) {
      add({ ...options, method: 'POST', path, handle })
    },

    /** Adds the creation of an item from a file, which is stored before the handler is called. */
    upload<P extends string, F extends Filter, Stored>(
      path: P,
      { upload, ...options }: UploadOperation<F, Stored>,
      handle: Handler<P, FilterValues<F>, Versioned, Stored>,
    ) {
      add({ ...options, upload, notInBatch: true, method: 'POST', path, handle })
    },

    batch(path: string, options: Operation) {
      add({ ...options, shows: noView, method: 'POST', path, isBatch: true, handle: async () => undefined })
    },

    put<P extends string, S extends Schema, Prepared = undefined>(
      path: P,
      options: ChangeOperation & PreparedBody<S, Prepared> & { readonly body?: S },
      handle: Handler<P, ValueOf<S>, Versioned, Prepared>,
    ) {
      add({ ...options, method: 'PUT', path, handle })
    },

    /** Adds a merge patch. The schema is that of the item which GET shows, after the patch was applied. */
    patch<P extends string, S extends Schema, Prepared = undefined>(
      path: P,
      options: ChangeOperation &
        PreparedBody<S, Prepared> & { readonly body: S; readonly handlerAppliesPatch?: true },
      handle: Handler<P, ValueOf<S>, Versioned, Prepared>,
    ) {
      add({ ...options, method: 'PATCH', path, handle })
    },

    delete<P extends string>(
      path: P,
      options: Operation & Pick<Route, 'requiresVersion' | 'erasureOperation'>,
      handle: Handler<P, never, undefined>,
    ) {
      add({ ...options, shows: noView, method: 'DELETE', path, handle })
    },
  }
}

export type Routes = ReturnType<typeof routes>

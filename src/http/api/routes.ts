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
  /** Shown, but not part of the version: another text changes the ETag, but an older `If-Match` stays valid. */
  readonly unversionedText?: string
  /** The text that identifies the version, if the item shows more than that. */
  readonly versionedText?: string
}

/** How an item may be shown: in full, and in further views, by name. */
export interface Views {
  readonly full: JsonSchema
  readonly [view: string]: JsonSchema
}

export interface Call<Path extends string = string, Body = unknown, Prepared = unknown> {
  readonly params: { readonly [K in ParamNames<Path>]: string }
  readonly body: Body
  /** The result of `prepare` for this body. */
  readonly prepared: Prepared
  /** The version that the caller requires, or that its patch was applied to. */
  readonly expected: number | undefined
  readonly principal: Principal
  /** The author that the log of changes names for this call. */
  readonly actor: Actor
  /** Whether a deletion also erases everything that is kept of the record. */
  readonly erases: boolean
  /** The URL at which the caller reaches the service, without a trailing slash. */
  readonly base: () => string
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

interface Operation {
  /** The policy row that decides who may do this, such as `things:update`. */
  readonly operation: string
  readonly summary: string
  /** Codes of the resource's own refusals, for the OpenAPI document. */
  readonly refuses?: readonly string[]
  /** Set if it cannot be an operation of a batch. A route whose answer has a secret never can. */
  readonly notInBatch?: true
}

interface Prepares<S, Prepared> {
  /** The body for a caller that changes its own record, if more is required of it. */
  readonly ownBody?: Schema<ValueOf<S>, unknown>
  /** Does the slow work, such as a hash. In a batch, this happens before the transaction begins. */
  readonly prepare?: (body: ValueOf<S>, by: Pick<Call<string>, 'params' | 'principal'>) => Promise<Prepared>
}

interface ItemOperation extends Operation {
  readonly shows: Views
  /** Set if the item has the time of its last change without showing it. */
  readonly hasLastModified?: true
  /** The answer shows a secret, so it is neither kept nor cached. A repetition with the same `Idempotency-Key` is refused. */
  readonly showsSecret?: true
}

interface CreateOperation<S, Prepared> extends ItemOperation, Omit<Prepares<S, Prepared>, 'ownBody'> {
  readonly body?: S
  /** The property of the new item that names it below this path. */
  readonly names?: string
}

interface ChangeOperation extends ItemOperation {
  /** Whether a change must name the version that it changes, if the service is configured to require that. */
  readonly requiresVersion?: boolean
  /** The path of the item that is changed, if it differs from the route's path. */
  readonly changes?: string
}

export interface Upload {
  readonly limitBytes: number
  readonly parameters: Filter
  /** Keeps the pieces as they arrive. They have no effect until the route's handler is called with the result. */
  keep(pieces: AsyncIterable<Uint8Array>): Promise<unknown>
}

interface UploadOperation<F extends Filter, Kept> extends ItemOperation {
  readonly names: string
  readonly within: string
  readonly upload: Upload & { readonly parameters: F; keep(pieces: AsyncIterable<Uint8Array>): Promise<Kept> }
}

interface ListOperation<F extends Filter> extends ItemOperation, Omit<ListRoute, 'filter' | 'source'> {
  readonly filter: F
}

export interface ListRoute {
  readonly filter: Filter
  /** The properties it may be sorted by. */
  readonly sortable: readonly string[]
  /** The property that names an item below the list's path. */
  readonly names: string
  readonly source: ListSource
  /** Refuses a path whose resource is missing or hidden from the caller. */
  readonly requires?: (
    call: Pick<Call<string>, 'principal'> & { readonly params: Params },
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
  readonly names?: string
  readonly prepare?: (body: never, by: Pick<Call<string>, 'params' | 'principal'>) => Promise<unknown>
  /** The path of the list that gets the new item, if it differs from the route's path. */
  readonly within?: string
  readonly upload?: Upload
  /** Set if the body lists operations, which are rows of the same table. */
  readonly isBatch?: true
  readonly list?: ListRoute
  /** The types of a feed of changes. */
  readonly feed?: readonly string[]
  /** The policy row that decides who may erase with this deletion. */
  readonly erasure?: string
  /** Set if it shows the history of a record. The handler, which finds the record, is called only if there are no changes. */
  readonly isHistory?: true
  readonly handle: (call: Call<string, never, never>) => Promise<Versioned | undefined>
}

/** The XML element of a list: the last part of its path. */
export const listRoot = ({ path }: Route) => path.slice(path.lastIndexOf('/') + 1)

/** The route that shows the item which this one changes, if there is one. */
export const itemRouteOf = ({ path, changes = path }: Route, table: readonly Route[]) =>
  table.find((route) => route.method === 'GET' && route.path === changes)

/** Whether its body is the item that GET shows, with a merge patch applied. */
export const mergesPatch = ({ method, handlerAppliesPatch }: Route) =>
  method === 'PATCH' && !handlerAppliesPatch

/** Whether it changes an existing item, instead of adding one or just sending something. */
export const changesItem = ({ method, changes }: Route) => method !== 'POST' || changes !== undefined

/** Whether its item has the time of its last change. */
export const hasLastModified = ({ shows, hasLastModified }: Route) =>
  hasLastModified ?? shows.full.properties?.lastModifiedAt !== undefined

type Handler<Path extends string, Body, Result, Prepared = unknown> = (
  call: Call<Path, Body, Prepared>,
) => Promise<Result>

const nothing: Views = { full: {} }

/** Collects the routes of the rooms. */
export const routes = () => {
  const table: Route[] = []
  const add = (route: Route) => void table.push(route)
  return {
    table: table as readonly Route[],

    list<F extends Filter>(path: string, parts: ListOperation<F>, source: ListSource<FilterValues<F>>) {
      const { filter, sortable, names, requires, ...rest } = parts
      const list = { filter, sortable, names, source, ...(requires && { requires }) }
      add({ ...rest, method: 'GET', path, list, handle: async () => undefined })
    },

    feed(path: string, parts: Operation & { readonly feed: readonly string[] }) {
      add({ ...parts, shows: nothing, method: 'GET', path, handle: async () => undefined })
    },

    /** The history of a record. Calls `find` if there are no changes of it. */
    history<P extends string>(path: P, parts: ItemOperation, find: Handler<P, never, Versioned>) {
      add({ ...parts, method: 'GET', path, isHistory: true, handle: find })
    },

    get<P extends string>(path: P, parts: ItemOperation, handle: Handler<P, never, Versioned>) {
      add({ ...parts, method: 'GET', path, handle })
    },

    post<P extends string, S extends Schema, Prepared = undefined>(
      path: P,
      parts: CreateOperation<S, Prepared>,
      handle: Handler<P, ValueOf<S>, Versioned, Prepared>,
    ) {
      add({ ...parts, method: 'POST', path, handle })
    },

    /** A named change of the item at the path in `changes`, without a body. */
    action<P extends string>(
      path: P,
      parts: ItemOperation & { readonly changes: string },
      handle: Handler<P, never, Versioned>,
    ) {
      add({ ...parts, method: 'POST', path, handle })
    },

    /** A new item, made from a file that is kept first. */
    upload<P extends string, F extends Filter, Kept>(
      path: P,
      { upload, ...parts }: UploadOperation<F, Kept>,
      handle: Handler<P, FilterValues<F>, Versioned, Kept>,
    ) {
      add({ ...parts, upload, notInBatch: true, method: 'POST', path, handle })
    },

    batch(path: string, parts: Operation) {
      add({ ...parts, shows: nothing, method: 'POST', path, isBatch: true, handle: async () => undefined })
    },

    put<P extends string, S extends Schema, Prepared = undefined>(
      path: P,
      parts: ChangeOperation & Prepares<S, Prepared> & { readonly body?: S },
      handle: Handler<P, ValueOf<S>, Versioned, Prepared>,
    ) {
      add({ ...parts, method: 'PUT', path, handle })
    },

    /** The schema reads the item that GET shows, with the merge patch applied. */
    patch<P extends string, S extends Schema, Prepared = undefined>(
      path: P,
      parts: ChangeOperation &
        Prepares<S, Prepared> & { readonly body: S; readonly handlerAppliesPatch?: true },
      handle: Handler<P, ValueOf<S>, Versioned, Prepared>,
    ) {
      add({ ...parts, method: 'PATCH', path, handle })
    },

    delete<P extends string>(
      path: P,
      parts: Operation & Pick<Route, 'requiresVersion' | 'erasure'>,
      handle: Handler<P, never, undefined>,
    ) {
      add({ ...parts, shows: nothing, method: 'DELETE', path, handle })
    },
  }
}

export type Routes = ReturnType<typeof routes>

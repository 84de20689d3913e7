import type { Schema, ValueOf } from '#core/schema.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { Actor, Params, Principal } from './guard.ts'
import type { ListSource } from './paging.ts'
import type { Filter, FilterValues } from './query.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What every readable item has, whatever else it is. */
export interface Versioned {
  readonly version: number
  readonly lastModifiedAt?: number
  /** What else is shown and makes no version: another tag, which the same `If-Match` permits to change. */
  readonly beside?: string
  /** What makes another version, where something is shown beside it. */
  readonly ofVersion?: string
}

/** How an item may be shown: in full, and in further views, by name. */
export interface Views {
  readonly full: JsonSchema
  readonly [view: string]: JsonSchema
}

export interface Call<Path extends string = string, Body = unknown, Prepared = unknown> {
  readonly params: { readonly [K in ParamNames<Path>]: string }
  readonly body: Body
  /** What was prepared of the body. */
  readonly prepared: Prepared
  /** The version that the caller insists on, or that its patch was made from. */
  readonly expected: number | undefined
  readonly principal: Principal
  /** The author that the log of changes names for this call. */
  readonly actor: Actor
  /** Whether what is deleted is erased, with all that is kept of it. */
  readonly erases: boolean
  /** Refuses a caller that has lost its right meanwhile. To be asked after what takes time, before anything is written. */
  readonly admitAgain: () => Promise<unknown>
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

interface Operation {
  /** The policy row that decides who may do this, such as `things:update`. */
  readonly operation: string
  /** One line, for people to read. */
  readonly summary: string
  /** Codes of the resource's own refusals, for the OpenAPI document. */
  readonly refuses?: readonly string[]
  /** It is no operation of a batch. An answer with a secret never is. */
  readonly isAlone?: true
}

interface ItemOperation extends Operation {
  readonly shows: Views
}

interface CreateOperation<S, Prepared> extends ItemOperation {
  readonly body?: S
  /** Makes what takes time and asks no database, such as a hash. A batch has it made before its transaction begins. */
  readonly prepare?: (body: ValueOf<S>) => Promise<Prepared>
  /** The property of the new item that names it below this path. */
  readonly names?: string
  /** The answer is never kept, because it holds a secret: a repetition with the same key is refused. */
  readonly isSecret?: true
}

interface ChangeOperation extends ItemOperation {
  /** If the service is configured to insist, a change must name the version that it changes. */
  readonly insistsOnVersion?: boolean
  /** The path of the item that is changed, if not the route's own. */
  readonly changes?: string
}

/** A file that a request brings. */
export interface Upload {
  readonly limitBytes: number
  /** The parameters of the query. */
  readonly parameters: Filter
  /** Keeps the pieces as they come. Nothing follows from them until the route's handler is called with the result. */
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
  /** Refuses a caller who may not see the resource of the path, and a path without a resource. */
  readonly requires?: (
    call: Pick<Call<string>, 'principal'> & { readonly params: Params },
  ) => Promise<unknown>
}

/** One row of the table that dispatch, Allow, the policy and the OpenAPI document are made from. */
export interface Route extends ChangeOperation {
  readonly method: Method
  readonly path: string
  readonly body?: Schema
  /** The body for a caller that changes its own record, if it must contain more. */
  readonly ownBody?: Schema
  readonly names?: string
  readonly isSecret?: true
  readonly prepare?: (body: never) => Promise<unknown>
  /** The path of the list that the new item is in, if not the route's own. */
  readonly within?: string
  /** Its body is a file of any kind. */
  readonly upload?: Upload
  /** Its body holds operations, which are found in the same table. */
  readonly isBatch?: true
  readonly list?: ListRoute
  /** The types of a feed of changes. */
  readonly feed?: readonly string[]
  /** The policy row that decides who may erase what this deletes. */
  readonly erasure?: string
  /** Shows what a record was. It is handled only if no change is kept, and then finds the record. */
  readonly isHistory?: true
  readonly handle: (call: Call<string, never, never>) => Promise<Versioned | undefined>
}

/** The XML element of a list: the last part of its path. */
export const listRoot = ({ path }: Route) => path.slice(path.lastIndexOf('/') + 1)

/** The route that shows the item that this one is about, if there is one. */
export const showingRoute = ({ path, changes = path }: Route, table: readonly Route[]) =>
  table.find((route) => route.method === 'GET' && route.path === changes)

/** Whether it changes an item that is there: all changes but those that add to a list or send something. */
export const changesItem = ({ method, changes }: Route) => method !== 'POST' || changes !== undefined

/** Whether its item says when it last changed. */
export const hasLastModified = ({ shows }: Route) => shows.full.properties?.lastModifiedAt !== undefined

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

    /** What a record was. `find` is asked if nothing is known of it. */
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

    /** A named change of the item at the path in `changes`: it has no body. */
    action<P extends string>(
      path: P,
      parts: ItemOperation & { readonly changes: string },
      handle: Handler<P, never, Versioned>,
    ) {
      add({ ...parts, method: 'POST', path, handle })
    },

    /** A new item of a file, which is kept before the item is made. */
    upload<P extends string, F extends Filter, Kept>(
      path: P,
      { upload, ...parts }: UploadOperation<F, Kept>,
      handle: Handler<P, FilterValues<F>, Versioned, Kept>,
    ) {
      add({ ...parts, upload, isAlone: true, method: 'POST', path, handle })
    },

    batch(path: string, parts: Operation) {
      add({ ...parts, shows: nothing, method: 'POST', path, isBatch: true, handle: async () => undefined })
    },

    put<P extends string, S extends Schema>(
      path: P,
      parts: ChangeOperation & { readonly body?: S; readonly ownBody?: Schema<ValueOf<S>, unknown> },
      handle: Handler<P, ValueOf<S>, Versioned>,
    ) {
      add({ ...parts, method: 'PUT', path, handle })
    },

    /** The body is the item that GET shows, with a merge patch applied, read by this schema. */
    patch<P extends string, S extends Schema>(
      path: P,
      parts: ChangeOperation & { readonly body: S },
      handle: Handler<P, ValueOf<S>, Versioned>,
    ) {
      add({ ...parts, method: 'PATCH', path, handle })
    },

    delete<P extends string>(
      path: P,
      parts: Operation & Pick<Route, 'insistsOnVersion' | 'erasure'>,
      handle: Handler<P, never, undefined>,
    ) {
      add({ ...parts, shows: nothing, method: 'DELETE', path, handle })
    },
  }
}

export type Routes = ReturnType<typeof routes>

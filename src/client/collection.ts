import { type Answer, type Done, unwrap } from './answer.ts'
import type { Caller } from './calling.ts'
import type { CallOptions } from './options.ts'
import type { Query, Request } from './sending.ts'
import type { Change, Link, TodoPage } from './types.ts'

/** An id, or an item that was read. A change to an item that was read applies only to the version that was read. */
export type Known<Item> = string | Pick<Done<Item>, 'value' | 'etag'>

/** A property, or `property,desc`. */
export type SortBy<Property extends string> = Property | `${Property},asc` | `${Property},desc`

export interface Paging<Property extends string = string> {
  readonly size?: number | undefined
  /** For example `['lastName', 'createdAt,desc']`. */
  readonly sort?: SortBy<Property> | readonly SortBy<Property>[] | undefined
}

export type PageQuery<Property extends string = string> = Paging<Property> & {
  readonly page?: number | undefined
}

/** A walk starts at `cursor`: the `next` of a page read with the same filter and sort. Without one, it starts at the beginning. */
export type WalkQuery<Property extends string = string> = Paging<Property> & {
  readonly cursor?: string | undefined
}

/** What an item has. */
export type FieldOf<Item> = Item extends unknown ? Exclude<keyof Item & string, 'links'> : never

/** The only fields to show, with the id. The answer is typed by them. */
export interface Fields<Field extends string> {
  readonly fields?: readonly Field[] | undefined
}

/** An item with these fields and its id, or with all. */
type Shown<Item, Id, Field> = [Field] extends [never]
  ? Item
  : Item extends unknown
    ? Pick<Item, (Field | Id) & keyof Item>
    : never

/** A page selected by its number. */
export type PageOf<Item> = Omit<TodoPage, 'content'> & { readonly content: readonly Item[] }

/** A page of a walk. */
export interface Stretch<Item> {
  readonly content: readonly Item[]
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined
}

/** A change of an item, and what it was after it: null if it was deleted, or what it was is not kept. */
export interface Version<Item> {
  readonly change: Change
  readonly value: Item | null
}

export interface ListOptions<List> extends CallOptions {
  /** A list that was read before: the service sends it again only if it has changed. */
  readonly known?: Pick<Done<List>, 'value' | 'etag'> | undefined
}

interface Slice<Item> {
  readonly content: readonly Item[]
  readonly links: readonly Link[]
}

/** The calls that every collection has. `Changed` is what a change returns, which may be more than the caller may read. */
export const collection = <
  Item extends object,
  Id extends string & keyof Item,
  Property extends string,
  Filter extends object,
  Changed extends Item = Item,
>(
  call: Caller,
  path: string,
  id: Id,
) => {
  type Ref = Pick<Item, Id>
  const at = (known: Known<Ref>) =>
    `${path}/${segmentOf(typeof known === 'string' ? known : String(known.value[id]))}`
  const tagOf = (known: Known<Ref>) => (typeof known === 'string' ? undefined : known.etag)

  const walk = async function* <T>(
    path: string,
    query: WalkQuery & Fields<string>,
    options: CallOptions,
  ): AsyncGenerator<Stretch<T>> {
    let next: string | undefined = query.cursor ?? ''
    while (next !== undefined) {
      const sized = { ...query, size: query.size ?? 100, cursor: next }
      const { value } = unwrap(
        await call<Slice<T>>({ ...options, method: 'GET', path, query: queryOf(sized) }),
      )
      next = nextCursor(value)
      yield { content: value.content, next }
    }
  }
  type Walked<F extends string> = Filter & WalkQuery<Property> & Fields<F>
  const pages = <F extends FieldOf<Item> = never>(
    query: Walked<F> = {} as Walked<F>,
    options: CallOptions = {},
  ) => walk<Shown<Item, Id, F>>(path, query, options)

  /** Returns what is known unless it has changed since. */
  const read = async <T>(
    request: Omit<Request, 'method'>,
    known: Pick<Done<T>, 'value' | 'etag'> | undefined,
  ): Promise<Answer<T>> => {
    const answer = await call<T>({ ...request, method: 'GET', ifNoneMatch: known?.etag })
    if (!known || !answer.ok || answer.status !== 304) return answer
    return { ...answer, value: known.value, etag: known.etag }
  }

  return {
    /** All items at once, in order of creation. */
    list: <F extends FieldOf<Item> = never>(
      filter: Filter & Fields<F> = {} as Filter,
      { known, ...options }: ListOptions<readonly Shown<Item, Id, F>[]> = {},
    ): Promise<Answer<readonly Shown<Item, Id, F>[]>> =>
      read({ ...options, path, query: queryOf(filter) }, known),

    /** One page by number (from 0), with the total count. */
    page: <F extends FieldOf<Item> = never>(
      query: Filter & PageQuery<Property> & Fields<F> = {} as Filter,
      { known, ...options }: ListOptions<PageOf<Shown<Item, Id, F>>> = {},
    ): Promise<Answer<PageOf<Shown<Item, Id, F>>>> =>
      read({ ...options, path, query: queryOf({ ...query, page: query.page ?? 0 }) }, known),

    /** Yields the items one by one, reading them in pages by cursor. Throws a RollcallError on failure. */
    async *each<F extends FieldOf<Item> = never>(
      query: Walked<F> = {} as Walked<F>,
      options: CallOptions = {},
    ): AsyncGenerator<Shown<Item, Id, F>> {
      for await (const { content } of pages(query, options)) yield* content
    },

    /** As `each`, but yields whole pages. Pass the `next` of a page as `cursor` to continue after it later. */
    pages,

    /** Yields what the item was after each of its changes, newest first, also after it was deleted. Throws a RollcallError on failure. */
    async *history(known: Known<Ref>, options: CallOptions = {}): AsyncGenerator<Version<Changed>> {
      for await (const { content } of walk<Version<Changed>>(`${at(known)}/history`, {}, options))
        yield* content
    },

    /** One item. Given an item that was read before, the service sends it again only if it has changed. */
    get: <F extends FieldOf<Item> = never>(
      known: Known<Shown<Item, Id, F>>,
      { fields, ...options }: CallOptions & Fields<F> = {},
    ): Promise<Answer<Shown<Item, Id, F>>> =>
      read(
        { ...options, path: at(known as Known<Ref>), query: queryOf({ fields }) },
        typeof known === 'string' ? undefined : known,
      ),

    /** Creates one item; retries never create a second. */
    create: (body: object, options: CallOptions = {}): Promise<Answer<Changed>> =>
      call({ ...options, method: 'POST', path, body }),

    /** Replaces the item. */
    put: (known: Known<Ref>, body: object, options: CallOptions = {}): Promise<Answer<Changed>> =>
      call({ ...options, method: 'PUT', path: at(known), body, ifMatch: tagOf(known) }),

    /** Changes some fields of the item; null clears a field. */
    patch: (known: Known<Ref>, body: object, options: CallOptions = {}): Promise<Answer<Changed>> =>
      call({ ...options, method: 'PATCH', path: at(known), body, ifMatch: tagOf(known) }),

    /** Deletes the item. */
    remove: (known: Known<Ref>, options: CallOptions = {}): Promise<Answer<undefined>> =>
      call({ ...options, method: 'DELETE', path: at(known), ifMatch: tagOf(known) }),

    at,
    tagOf,
  }
}

const queryOf = ({ fields, ...query }: Fields<string> & object): Query => ({
  ...query,
  fields: fields?.join(),
})

/** An id as a path segment. Dots are escaped too: the service takes what follows one for a format, such as `.json`. */
export const segmentOf = (id: string) => encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E')

const nextCursor = ({ links }: Slice<unknown>): string | undefined => {
  const next = links.find(({ rel }) => rel === 'next')
  return next && (new URL(next.href).searchParams.get('cursor') ?? undefined)
}

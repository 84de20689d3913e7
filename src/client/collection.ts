import { type Answer, type Done, unwrap } from './answer.ts'
import type { Caller } from './calling.ts'
import type { CallOptions } from './options.ts'
import type { Query, Request } from './sending.ts'
import type { Change, Link } from './types.ts'

/** An id, or an item that was read. A change to an item that was read applies only to the version that was read. */
export type Known<Item> = string | Pick<Done<Item>, 'value' | 'etag'>

export interface Paging {
  readonly size?: number | undefined
  /** For example `['lastName', 'createdAt,desc']`. */
  readonly sort?: string | readonly string[] | undefined
}

export type PageQuery = Paging & { readonly page?: number | undefined }

/** A walk starts at `cursor`: the `next` of a page read with the same filter and sort. Without one, it starts at the beginning. */
export type WalkQuery = Paging & { readonly cursor?: string | undefined }

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
export const collection = <Item extends object, Page, Filter extends object, Changed extends Item = Item>(
  call: Caller,
  path: string,
  idOf: (item: Item) => string,
) => {
  const at = (known: Known<Item>) =>
    `${path}/${segmentOf(typeof known === 'string' ? known : idOf(known.value))}`
  const tagOf = (known: Known<Item>) => (typeof known === 'string' ? undefined : known.etag)

  const walk = async function* <T>(
    path: string,
    query: WalkQuery,
    options: CallOptions,
  ): AsyncGenerator<Stretch<T>> {
    let next: string | undefined = query.cursor ?? ''
    while (next !== undefined) {
      const pageQuery = { ...query, size: query.size ?? 100, cursor: next } as Query
      const { value } = unwrap(await call<Slice<T>>({ ...options, method: 'GET', path, query: pageQuery }))
      next = nextCursor(value)
      yield { content: value.content, next }
    }
  }
  const pages = (query: Filter & WalkQuery = {} as Filter, options: CallOptions = {}) =>
    walk<Item>(path, query, options)

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
    list: (
      filter: Filter = {} as Filter,
      { known, ...options }: ListOptions<readonly Item[]> = {},
    ): Promise<Answer<readonly Item[]>> => read({ ...options, path, query: filter as Query }, known),

    /** One page by number (from 0), with the total count. */
    page: (
      query: Filter & PageQuery = {} as Filter,
      { known, ...options }: ListOptions<Page> = {},
    ): Promise<Answer<Page>> =>
      read({ ...options, path, query: { ...query, page: query.page ?? 0 } as Query }, known),

    /** Yields the items one by one, reading them in pages by cursor. Throws a RollcallError on failure. */
    async *each(query: Filter & WalkQuery = {} as Filter, options: CallOptions = {}): AsyncGenerator<Item> {
      for await (const { content } of pages(query, options)) yield* content
    },

    /** As `each`, but yields whole pages. Pass the `next` of a page as `cursor` to continue after it later. */
    pages,

    /** Yields what the item was after each of its changes, newest first, also after it was deleted. Throws a RollcallError on failure. */
    async *history(known: Known<Item>, options: CallOptions = {}): AsyncGenerator<Version<Changed>> {
      for await (const { content } of walk<Version<Changed>>(`${at(known)}/history`, {}, options))
        yield* content
    },

    /** One item. Given an item that was read before, the service sends it again only if it has changed. */
    get: (known: Known<Item>, options: CallOptions = {}): Promise<Answer<Item>> =>
      read({ ...options, path: at(known) }, typeof known === 'string' ? undefined : known),

    /** Creates one item; retries never create a second. */
    create: (body: object, options: CallOptions = {}): Promise<Answer<Changed>> =>
      call({ ...options, method: 'POST', path, body }),

    /** Replaces the item. */
    put: (known: Known<Item>, body: object, options: CallOptions = {}): Promise<Answer<Changed>> =>
      call({ ...options, method: 'PUT', path: at(known), body, ifMatch: tagOf(known) }),

    /** Changes some fields of the item; null clears a field. */
    patch: (known: Known<Item>, body: object, options: CallOptions = {}): Promise<Answer<Changed>> =>
      call({ ...options, method: 'PATCH', path: at(known), body, ifMatch: tagOf(known) }),

    /** Deletes the item. */
    remove: (known: Known<Item>, options: CallOptions = {}): Promise<Answer<undefined>> =>
      call({ ...options, method: 'DELETE', path: at(known), ifMatch: tagOf(known) }),

    at,
    tagOf,
  }
}

/** An id as a path segment. Dots are escaped too: the service takes what follows one for a format, such as `.json`. */
export const segmentOf = (id: string) => encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E')

const nextCursor = ({ links }: Slice<unknown>): string | undefined => {
  const next = links.find(({ rel }) => rel === 'next')
  return next && (new URL(next.href).searchParams.get('cursor') ?? undefined)
}

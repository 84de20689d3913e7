import { type Answer, type Done, unwrap } from './answer.ts'
import type { Caller } from './calling.ts'
import type { CallOptions } from './options.ts'
import type { Query, Request } from './sending.ts'
import type { Link } from './types.ts'

/** An item that was read, or its id alone. Of an item that was read, only that version is changed. */
export type Known<Item> = string | Pick<Done<Item>, 'value' | 'etag'>

export interface Paging {
  readonly size?: number | undefined
  /** Such as `['lastName', 'createdAt,desc']`. */
  readonly sort?: string | readonly string[] | undefined
}

export type PageQuery = Paging & { readonly page?: number | undefined }

/** A walk begins at `cursor`, the `next` of a page that was read with the same filter and sort; without one, at the beginning. */
export type WalkQuery = Paging & { readonly cursor?: string | undefined }

/** A page of a walk. */
export interface Stretch<Item> {
  readonly content: readonly Item[]
  /** The cursor of the following page; undefined on the last. */
  readonly next: string | undefined
}

/** With a list that was read before, it is sent again only if it has changed. */
export interface ListOptions<List> extends CallOptions {
  readonly known?: Pick<Done<List>, 'value' | 'etag'> | undefined
}

interface Slice<Item> {
  readonly content: readonly Item[]
  readonly links: readonly Link[]
}

/** The calls that every collection has. `Changed` is what a change answers with, which may be more than may be read. */
export const collection = <Item extends object, Page, Filter extends object, Changed extends Item = Item>(
  call: Caller,
  path: string,
  idOf: (item: Item) => string,
) => {
  const at = (known: Known<Item>) =>
    `${path}/${segmentOf(typeof known === 'string' ? known : idOf(known.value))}`
  const tagOf = (known: Known<Item>) => (typeof known === 'string' ? undefined : known.etag)

  const pages = async function* (
    query: Filter & WalkQuery = {} as Filter,
    options: CallOptions = {},
  ): AsyncGenerator<Stretch<Item>> {
    let next: string | undefined = query.cursor ?? ''
    while (next !== undefined) {
      const asked = { ...query, size: query.size ?? 100, cursor: next } as Query
      const { value } = unwrap(await call<Slice<Item>>({ ...options, method: 'GET', path, query: asked }))
      next = cursorBehind(value)
      yield { content: value.content, next }
    }
  }

  /** Reads again only if what is known has changed. */
  const read = async <T>(
    asked: Omit<Request, 'method'>,
    known: Pick<Done<T>, 'value' | 'etag'> | undefined,
  ): Promise<Answer<T>> => {
    const answer = await call<T>({ ...asked, method: 'GET', ifNoneMatch: known?.etag })
    if (!known || !answer.ok || answer.status !== 304) return answer
    return { ...answer, value: known.value, etag: known.etag }
  }

  return {
    /** All of them at once, in the order of their creation. */
    list: (
      filter: Filter = {} as Filter,
      { known, ...options }: ListOptions<readonly Item[]> = {},
    ): Promise<Answer<readonly Item[]>> => read({ ...options, path, query: filter as Query }, known),

    /** One page by its number, with the total count. */
    page: (
      query: Filter & PageQuery = {} as Filter,
      { known, ...options }: ListOptions<Page> = {},
    ): Promise<Answer<Page>> =>
      read({ ...options, path, query: { ...query, page: query.page ?? 0 } as Query }, known),

    /** One item after the other, read in pages. A failure is thrown as a RollcallError. */
    async *each(query: Filter & WalkQuery = {} as Filter, options: CallOptions = {}): AsyncGenerator<Item> {
      for await (const { content } of pages(query, options)) yield* content
    },

    /** The same page by page. With the `next` of a page, a later walk goes on behind it. */
    pages,

    /** One item. Given what was read before, it is read again only if it has changed. */
    get: (known: Known<Item>, options: CallOptions = {}): Promise<Answer<Item>> =>
      read({ ...options, path: at(known) }, typeof known === 'string' ? undefined : known),

    /** Creates one, and no second one where the request has to be repeated. */
    create: (body: object, options: CallOptions = {}): Promise<Answer<Changed>> =>
      call({ ...options, method: 'POST', path, body }),

    /** Replaces it. */
    put: (known: Known<Item>, body?: object, options: CallOptions = {}): Promise<Answer<Changed>> =>
      call({ ...options, method: 'PUT', path: at(known), body, ifMatch: tagOf(known) }),

    /** Changes some of its fields; null clears one. */
    patch: (known: Known<Item>, body: object, options: CallOptions = {}): Promise<Answer<Changed>> =>
      call({ ...options, method: 'PATCH', path: at(known), body, ifMatch: tagOf(known) }),

    /** Deletes it. */
    remove: (known: Known<Item>, options: CallOptions = {}): Promise<Answer<undefined>> =>
      call({ ...options, method: 'DELETE', path: at(known), ifMatch: tagOf(known) }),

    at,
    tagOf,
  }
}

/** An id in a path. A dot is escaped too: what follows one there is taken for the form of the answer, such as `.json`. */
export const segmentOf = (id: string) => encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E')

const cursorBehind = ({ links }: Slice<unknown>): string | undefined => {
  const next = links.find(({ rel }) => rel === 'next')
  return next && (new URL(next.href).searchParams.get('cursor') ?? undefined)
}

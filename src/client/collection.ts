import { type Answer, type Done, unwrap } from './answer.ts'
import type { Caller } from './calling.ts'
import type { CallOptions } from './options.ts'
import type { Query, Request } from './sending.ts'
import type { Link } from './types.ts'

/** What was read of an item, or its id alone: a change of what was read is made only to the version that was read. */
export type Known<Item> = string | Pick<Done<Item>, 'value' | 'etag'>

export interface Paging {
  readonly size?: number
  /** Such as `['lastName', 'createdAt,desc']`. */
  readonly sort?: string | readonly string[]
}

export type PageQuery = Paging & { readonly page?: number }

/** What a list was when it was read: read again, it costs nothing where nothing has changed. */
export interface ListOptions<List> extends CallOptions {
  readonly known?: Pick<Done<List>, 'value' | 'etag'>
}

interface Slice<Item> {
  readonly content: readonly Item[]
  readonly links: readonly Link[]
}

/** What is done with every collection alike. */
export const collection = <Item extends object, Page, Filter extends object>(
  call: Caller,
  path: string,
  idOf: (item: Item) => string,
) => {
  const at = (known: Known<Item>) =>
    `${path}/${encodeURIComponent((typeof known === 'string' ? known : idOf(known.value)).toWellFormed())}`
  const tagOf = (known: Known<Item>) => (typeof known === 'string' ? undefined : known.etag)

  const slices = async function* (query: Filter & Paging, options: CallOptions): AsyncGenerator<Slice<Item>> {
    const first = { size: 100, ...query, cursor: '' } as Query
    let slice = unwrap(await call<Slice<Item>>({ ...options, method: 'GET', path, query: first }))
    for (;;) {
      yield slice.value
      const next = slice.value.links.find(({ rel }) => rel === 'next')
      if (!next) return
      slice = unwrap(
        await call<Slice<Item>>({ ...options, method: 'GET', path: path + new URL(next.href).search }),
      )
    }
  }

  /** Asks for what is known, if anything is, only where it has changed. */
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
    ): Promise<Answer<Page>> => read({ ...options, path, query: { page: 0, ...query } as Query }, known),

    /** One after the other, read in pages behind the scenes. A failure is thrown as a RollcallError. */
    async *each(query: Filter & Paging = {} as Filter, options: CallOptions = {}): AsyncGenerator<Item> {
      for await (const { content } of slices(query, options)) yield* content
    },

    /** The same page by page. */
    async *pages(
      query: Filter & Paging = {} as Filter,
      options: CallOptions = {},
    ): AsyncGenerator<readonly Item[]> {
      for await (const { content } of slices(query, options)) yield content
    },

    /** One item. Given what was read before, it is read again only if it has changed. */
    get: (known: Known<Item>, options: CallOptions = {}): Promise<Answer<Item>> =>
      read({ ...options, path: at(known) }, typeof known === 'string' ? undefined : known),

    /** Creates one, once, however often it had to be asked for. */
    create: (body: object, options: CallOptions = {}): Promise<Answer<Item>> =>
      call({ ...options, method: 'POST', path, body }),

    /** Replaces it. */
    put: (known: Known<Item>, body?: object, options: CallOptions = {}): Promise<Answer<Item>> =>
      call({ ...options, method: 'PUT', path: at(known), body, ifMatch: tagOf(known) }),

    /** Changes some of its fields; null clears one. */
    patch: (known: Known<Item>, body: object, options: CallOptions = {}): Promise<Answer<Item>> =>
      call({ ...options, method: 'PATCH', path: at(known), body, ifMatch: tagOf(known) }),

    /** Deletes it. */
    remove: (known: Known<Item>, options: CallOptions = {}): Promise<Answer<undefined>> =>
      call({ ...options, method: 'DELETE', path: at(known), ifMatch: tagOf(known) }),

    at,
    tagOf,
  }
}

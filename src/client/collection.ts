import { type Answer, type Done, unwrap } from './answer.ts'
import type { Call } from './call.ts'
import type { Link } from './messages.ts'
import type { CallOptions } from './options.ts'
import type { Fields, Known, ListOptions, Stretch, Version, WalkQuery } from './records.ts'
import type { Query, Request } from './sending.ts'

interface CursorPage<Item> {
  readonly content: readonly Item[]
  readonly links: readonly Link[]
}

type PagesQuery = WalkQuery & Fields<string>

/** The calls of a collection. Its paths suffice at run time: only the compiler and the service know the fields of the resource. */
export const collection = (call: Call, path: string) => {
  const pathOf = (idOrItem: Known<object>) =>
    `${path}/${segmentOf(typeof idOrItem === 'string' ? idOrItem : idOf(idOrItem.value))}`

  const readPages = async function* <T>(
    path: string,
    query: PagesQuery,
    options: CallOptions,
  ): AsyncGenerator<Stretch<T>> {
    let next: string | undefined = query.cursor ?? ''
    while (next !== undefined) {
      const pageQuery = { ...query, size: query.size ?? 100, cursor: next }
      const { value } = unwrap(
        await call<CursorPage<T>>({ ...options, method: 'GET', path, query: queryOf(pageQuery) }),
      )
      next = nextCursor(value)
      yield { content: value.content, next }
    }
  }

  const pages = <T>(query: PagesQuery = {}, options: CallOptions = {}) => readPages<T>(path, query, options)

  /** Reads an item or a list. If `known` has not changed, the service does not send it again, and the answer contains `known`. */
  const read = async <T>(
    request: Omit<Request, 'method'>,
    known: Pick<Done<T>, 'value' | 'etag'> | undefined,
  ): Promise<Answer<T>> => {
    const answer = await call<T>({ ...request, method: 'GET', ifNoneMatch: known?.etag })
    if (!known || !answer.ok || answer.status !== 304) return answer
    return { ...answer, value: known.value, etag: known.etag }
  }

  /** Changes the known version, or any version if only the id is known. */
  const change = <T>(idOrItem: Known<object>, options: CallOptions, { path = '', ...request }: Change) =>
    call<T>({
      ...options,
      ...request,
      path: pathOf(idOrItem) + path,
      ifMatch: typeof idOrItem === 'string' ? undefined : idOrItem.etag,
    })

  return {
    list: <T>(filter: Fields<string> = {}, { known, ...options }: ListOptions<T> = {}) =>
      read({ ...options, path, query: queryOf(filter) }, known),

    page: <T>(
      query: { readonly page?: number | undefined } = {},
      { known, ...options }: ListOptions<T> = {},
    ) => read({ ...options, path, query: queryOf({ ...query, page: query.page ?? 0 }) }, known),

    async *each<T>(query?: PagesQuery, options?: CallOptions): AsyncGenerator<T> {
      for await (const { content } of pages<T>(query, options)) yield* content
    },

    pages,

    get: <T extends object>(idOrItem: Known<T>, { fields, ...options }: CallOptions & Fields<string> = {}) =>
      read(
        { ...options, path: pathOf(idOrItem), query: queryOf({ fields }) },
        typeof idOrItem === 'string' ? undefined : idOrItem,
      ),

    async *history<T>(idOrItem: Known<object>, options: CallOptions = {}): AsyncGenerator<Version<T>> {
      for await (const { content } of readPages<Version<T>>(`${pathOf(idOrItem)}/history`, {}, options))
        yield* content
    },

    create: <T>(body: object, options: CallOptions = {}) =>
      call<T>({ ...options, method: 'POST', path, body }),

    update: <T>(idOrItem: Known<object>, body: object, options: CallOptions = {}) =>
      change<T>(idOrItem, options, { method: 'PUT', body }),

    patch: <T>(idOrItem: Known<object>, body: object, options: CallOptions = {}) =>
      change<T>(idOrItem, options, { method: 'PATCH', body }),

    remove: (idOrItem: Known<object>, options: CallOptions = {}) =>
      change<undefined>(idOrItem, options, { method: 'DELETE' }),

    restore: <T>(idOrItem: Known<object>, options: CallOptions = {}) =>
      call<T>({ ...options, method: 'POST', path: `${pathOf(idOrItem)}/restore` }),

    pathOf,
    change,
  }
}

type Change = Pick<Request, 'method' | 'query' | 'body' | 'isRepeatUnsafe'> & { readonly path?: string }

/** The collection of a declared resource. Every method that is not one of a collection is an action of the resource. */
export const declaredCollection = (call: Call, path: string) => {
  const { pathOf: _, change, ...own } = collection(call, path)
  return withLazyProperties(
    own,
    (action) =>
      (idOrItem: Known<object>, options: CallOptions = {}) =>
        change(idOrItem, options, { method: 'POST', path: `/${action}` }),
  )
}

/** Adds properties of any name when they are first read, except `then` and `toJSON`, which await and JSON.stringify would call. */
export const withLazyProperties = <T extends object>(own: T, make: (name: string) => unknown): T =>
  new Proxy(own, {
    get: (_, name) => {
      if (!(name in own) && typeof name === 'string' && name !== 'then' && name !== 'toJSON')
        Reflect.set(own, name, make(name))
      return Reflect.get(own, name)
    },
  })

/** The first property of an answer that ends with `Id` identifies the item, whatever the resource is called. */
export const idOf = (item: object) => String(Object.entries(item).find(([name]) => name.endsWith('Id'))?.[1])

const queryOf = ({ fields, ...query }: Fields<string> & { readonly page?: number }): Query => ({
  ...query,
  fields: fields?.join(),
})

/** An id as a path segment. Dots are escaped too, because the service reads the part after one as a format, such as `.json`. */
export const segmentOf = (id: string) => encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E')

const nextCursor = ({ links }: CursorPage<unknown>): string | undefined => {
  const next = links.find(({ rel }) => rel === 'next')
  return next && (new URL(next.href).searchParams.get('cursor') ?? undefined)
}

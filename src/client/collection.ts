import { type Answer, type Done, unwrap } from './answer.ts'
import type { Call } from './call.ts'
import type { Link } from './messages.ts'
import type { CallOptions } from './options.ts'
import type { Fields, Known, ListOptions, Stretch, Version, WalkQuery } from './records.ts'
import type { Query, Request } from './sending.ts'

interface Slice<Item> {
  readonly content: readonly Item[]
  readonly links: readonly Link[]
}

type Walk = WalkQuery & Fields<string>

/** The calls of a collection. Only the compiler and the service know the types of the resource. */
export const collection = (call: Call, path: string) => {
  const at = (known: Known<object>) =>
    `${path}/${segmentOf(typeof known === 'string' ? known : idOf(known.value))}`

  const walk = async function* <T>(
    path: string,
    query: Walk,
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

  const pages = <T>(query: Walk = {}, options: CallOptions = {}) => walk<T>(path, query, options)

  /** Returns the known item unless it has changed since. */
  const read = async <T>(
    request: Omit<Request, 'method'>,
    known: Pick<Done<T>, 'value' | 'etag'> | undefined,
  ): Promise<Answer<T>> => {
    const answer = await call<T>({ ...request, method: 'GET', ifNoneMatch: known?.etag })
    if (!known || !answer.ok || answer.status !== 304) return answer
    return { ...answer, value: known.value, etag: known.etag }
  }

  /** Changes the known version, or any version if only the id is known. */
  const change = <T>(known: Known<object>, options: CallOptions, { path = '', ...request }: Change) =>
    call<T>({
      ...options,
      ...request,
      path: at(known) + path,
      ifMatch: typeof known === 'string' ? undefined : known.etag,
    })

  return {
    list: <T>(filter: Fields<string> = {}, { known, ...options }: ListOptions<T> = {}) =>
      read({ ...options, path, query: queryOf(filter) }, known),

    page: <T>(
      query: { readonly page?: number | undefined } = {},
      { known, ...options }: ListOptions<T> = {},
    ) => read({ ...options, path, query: queryOf({ ...query, page: query.page ?? 0 }) }, known),

    async *each<T>(query?: Walk, options?: CallOptions): AsyncGenerator<T> {
      for await (const { content } of pages<T>(query, options)) yield* content
    },

    pages,

    get: <T extends object>(known: Known<T>, { fields, ...options }: CallOptions & Fields<string> = {}) =>
      read(
        { ...options, path: at(known), query: queryOf({ fields }) },
        typeof known === 'string' ? undefined : known,
      ),

    async *history<T>(known: Known<object>, options: CallOptions = {}): AsyncGenerator<Version<T>> {
      for await (const { content } of walk<Version<T>>(`${at(known)}/history`, {}, options)) yield* content
    },

    create: <T>(body: object, options: CallOptions = {}) =>
      call<T>({ ...options, method: 'POST', path, body }),

    update: <T>(known: Known<object>, body: object, options: CallOptions = {}) =>
      change<T>(known, options, { method: 'PUT', body }),

    patch: <T>(known: Known<object>, body: object, options: CallOptions = {}) =>
      change<T>(known, options, { method: 'PATCH', body }),

    remove: (known: Known<object>, options: CallOptions = {}) =>
      change<undefined>(known, options, { method: 'DELETE' }),

    restore: <T>(known: Known<object>, options: CallOptions = {}) =>
      call<T>({ ...options, method: 'POST', path: `${at(known)}/restore` }),

    at,
    change,
  }
}

type Change = Pick<Request, 'method' | 'query' | 'body' | 'isRepeatUnsafe'> & { readonly path?: string }

/** The collection of a declared resource: every other name is an action of its records. */
export const declaredCollection = (call: Call, path: string) => {
  const { at: _, change, ...own } = collection(call, path)
  return withLazyProperties(
    own,
    (action) =>
      (known: Known<object>, options: CallOptions = {}) =>
        change(known, options, { method: 'POST', path: `/${action}` }),
  )
}

/** Makes any other property when it is first read, except `then` and `toJSON`, which await and JSON.stringify would call. */
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
const segmentOf = (id: string) => encodeURIComponent(id.toWellFormed()).replaceAll('.', '%2E')

const nextCursor = ({ links }: Slice<unknown>): string | undefined => {
  const next = links.find(({ rel }) => rel === 'next')
  return next && (new URL(next.href).searchParams.get('cursor') ?? undefined)
}

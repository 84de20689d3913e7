import type { Service } from './service.ts'

interface Slice<T> {
  readonly content: readonly T[]
  readonly links?: readonly { readonly rel: string; readonly href: string }[]
}

const sliceSize = 100

interface Wanted {
  readonly query: Readonly<Record<string, string>>
  /** How many items to read; all if undefined. */
  readonly limit: number | undefined
}

/** The items of a list, in slices. Nothing beyond the slice with the last one wanted is read. */
export async function* each<T>(
  service: Service,
  path: string,
  { query, limit = Number.POSITIVE_INFINITY }: Wanted,
) {
  const size = String(Math.min(limit, sliceSize))
  let next: string | undefined = `?${new URLSearchParams({ ...query, cursor: '', size })}`
  let left = limit
  while (next !== undefined && left > 0) {
    const slice: Slice<T> = await service.ask<Slice<T>>({ method: 'GET', path: path + next })
    yield slice.content.slice(0, left)
    left -= slice.content.length
    const href = slice.links?.find(({ rel }) => rel === 'next')?.href
    next = href === undefined ? undefined : new URL(href, 'http://rollcall').search
  }
}

import { openClient } from './client.ts'

export interface Walk {
  readonly pages: Pages
  /** Ids spread evenly over the whole list. */
  readonly ids: readonly string[]
}

/** Addresses of full pages, by their position in the list. */
export interface Pages {
  readonly first: readonly string[]
  readonly middle: readonly string[]
  readonly last: readonly string[]
}

export const pageSize = 100
const maxWatched = 50
const maxIds = 1000

/** Walks through a whole list by cursor, one page after the other. */
export const walk = async (origin: string, path: string, idOf: string): Promise<Walk> => {
  const client = openClient(origin)
  const pages: string[] = []
  const ids: string[] = []
  let next: string | undefined = `${path}?cursor=&size=${pageSize}`
  while (next) {
    const { status, body } = await client.request('GET', next)
    if (status !== 200) throw new Error(`${next} answered ${status}: ${body}`)
    pages.push(next)
    const { content, links } = JSON.parse(body) as Slice
    ids.push(...content.map((item) => String(item[idOf])))
    next = nextOf(links)
  }
  client.close()
  const full = pages.slice(0, -1)
  const watched = Math.min(maxWatched, Math.floor(full.length / 3))
  const middle = Math.floor((full.length - watched) / 2)
  return {
    pages: {
      first: full.slice(0, watched),
      middle: full.slice(middle, middle + watched),
      last: full.slice(-watched),
    },
    ids: every(ids, Math.ceil(ids.length / maxIds)),
  }
}

interface Slice {
  readonly content: readonly Readonly<Record<string, unknown>>[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

const nextOf = (links: Slice['links']) => {
  const href = links.find(({ rel }) => rel === 'next')?.href
  if (href === undefined) return undefined
  const { pathname, search } = new URL(href, 'http://localhost')
  return pathname + search
}

const every = <T>(list: readonly T[], step: number) => list.filter((_, index) => index % step === 0)

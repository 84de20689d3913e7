import { openClient } from './client.ts'
import { median } from './figures.ts'

export interface Walk {
  /** Of one page, by the part of the way that was behind it. */
  readonly firstMs: number
  readonly middleMs: number
  readonly lastMs: number
  /** So many ids from the whole way. */
  readonly ids: readonly string[]
}

const pageSize = 100
const watched = 100
const kept = 1000

/** Goes through a whole list by its cursor, one page after the other. */
export const walk = async (origin: string, path: string, idOf: string): Promise<Walk> => {
  const client = openClient(origin)
  const times: number[] = []
  const ids: string[] = []
  let next: string | undefined = `${path}?cursor=&size=${pageSize}`
  while (next) {
    const begun = performance.now()
    const { status, body } = await client.ask('GET', next)
    times.push(performance.now() - begun)
    if (status !== 200) throw new Error(`${next} answered ${status}: ${body}`)
    const { content, links } = JSON.parse(body) as Slice
    ids.push(...content.map((item) => String(item[idOf])))
    next = nextOf(links)
  }
  client.close()
  const middle = Math.floor(times.length / 2)
  return {
    firstMs: median(times.slice(0, watched)),
    middleMs: median(times.slice(Math.max(0, middle - watched / 2), middle + watched / 2)),
    lastMs: median(times.slice(-watched)),
    ids: every(ids, Math.ceil(ids.length / kept)),
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

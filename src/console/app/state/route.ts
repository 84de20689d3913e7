import { locales } from '#core/locale.ts'
import { historyStep, replaceAddress } from './history.ts'
import { locale } from './preferences.ts'
import { store } from './store.ts'
import { blocksLeaving } from './unsaved.ts'

/** The current page and query of the console. They are after the # of the address, so that Back and bookmarks work. */
export interface Route {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

const readRoute = (): Route => {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  return { path: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) }
}

/** A part of a path. A part that cannot be decoded is left unchanged, and leads to no page. */
const decode = (part: string) => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Documents have addresses without #, to which others can link. Turns such an address into one of the console. */
const openDocumentAddress = () => {
  const { pathname, search, hash } = location
  if (pathname === '/') return
  const asked = new URLSearchParams(search).get('lang')
  const chosen = locales.find((one) => one === asked)
  if (chosen) locale.set(chosen)
  replaceAddress(`/#${pathname}${hash.replace('#', '/')}`)
}
openDocumentAddress()

export const route = store(readRoute())

/** Whether the browser is returning to the page with unsaved input, so that the user is not asked again. */
let isReturning = false

addEventListener('hashchange', () => {
  const taken = historyStep()
  if (isReturning) isReturning = false
  else if (blocksLeaving(() => history.go(taken))) {
    isReturning = true
    history.go(-taken)
  } else readRouteAgain()
})

/** For code that changes the address without a browser event. */
export const readRouteAgain = () => route.set(readRoute())

type Query = Readonly<Record<string, string | undefined>>

export const hrefTo = (path: string, query: Query = {}): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const text = new URLSearchParams(given).toString()
  return `#/${path}${text && `?${text}`}`
}

export const go = (path: string, query: Query = {}) => {
  location.hash = hrefTo(path, query)
}

/** Changes the address without a history entry: while the user types, and to leave a page to which Back shall not return. */
export const replace = (path: string, query: Query = {}) => {
  replaceAddress(hrefTo(path, query))
  readRouteAgain()
}

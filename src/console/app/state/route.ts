import { locales } from '#core/locale.ts'
import { historyStep, replaceAddress } from './history.ts'
import { locale } from './preferences.ts'
import { store } from './store.ts'
import { blocksLeaving } from './unsaved.ts'

/** The current page of the console and its query. Both stand behind the # of the address, so that Back and bookmarks work. */
export interface Route {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

const readRoute = (): Route => {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  return { path: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) }
}

/** Decodes a segment of a path. A segment that cannot be decoded stays as it is, and leads to no page. */
const decode = (part: string) => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Turns the address of a document, which has no # so that other sites can link to it, into an address of the console. */
const openDocumentAddress = () => {
  const { pathname, search, hash } = location
  if (pathname === '/') return
  const requested = new URLSearchParams(search).get('lang')
  const chosen = locales.find((one) => one === requested)
  if (chosen) locale.set(chosen)
  replaceAddress(`/#${pathname}${hash.replace('#', '/')}`)
}
openDocumentAddress()

export const route = store(readRoute())

/** True while the browser goes back to the page with unsaved input: this step must not ask the user again. */
let isReturning = false

addEventListener('hashchange', () => {
  const steps = historyStep()
  if (isReturning) isReturning = false
  else if (blocksLeaving(() => history.go(steps))) {
    isReturning = true
    history.go(-steps)
  } else readRouteAgain()
})

/** Called after the address was changed without a browser event. */
export const readRouteAgain = () => route.set(readRoute())

type Query = Readonly<Record<string, string | undefined>>

export const hrefTo = (path: string, query: Query = {}): string => {
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const text = new URLSearchParams(parameters).toString()
  return `#/${path}${text && `?${text}`}`
}

export const go = (path: string, query: Query = {}) => {
  location.hash = hrefTo(path, query)
}

/** Changes the address without a new history entry, for example while the user types. */
export const replace = (path: string, query: Query = {}) => {
  replaceAddress(hrefTo(path, query))
  readRouteAgain()
}

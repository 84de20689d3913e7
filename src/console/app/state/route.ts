import { readdress, step } from './history.ts'
import { store } from './store.ts'
import { holdsBack } from './unsaved.ts'

/** Where in the console one is: it stands behind the # of the address, so that Back and bookmarks work. */
export interface Route {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

const read = (): Route => {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  return { path: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) }
}

/** What cannot be decoded stands for itself, and is the name of nothing. */
const decode = (part: string) => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const route = store(read())

/** Going back to the page that holds somebody is a step of the history, too: it is not asked about again. */
let isHeld = false

addEventListener('hashchange', () => {
  const taken = step()
  if (isHeld) isHeld = false
  else if (holdsBack(() => history.go(taken))) {
    isHeld = true
    history.go(-taken)
  } else reread()
})

/** For whoever changes the address without a word to the browser. */
export const reread = () => route.set(read())

type Query = Readonly<Record<string, string | undefined>>

export const hrefTo = (path: string, query: Query = {}): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const text = new URLSearchParams(given).toString()
  return `#/${path}${text && `?${text}`}`
}

export const go = (path: string, query: Query = {}) => {
  location.hash = hrefTo(path, query)
}

/** Changes the address without a step in the history: for what is typed letter by letter, and for what is done with. */
export const replace = (path: string, query: Query = {}) => {
  readdress(hrefTo(path, query))
  reread()
}

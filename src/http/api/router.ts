import { suffixOf, withoutSuffix } from '#http/wire/target.ts'
import type { Params } from './guard.ts'
import type { Method, Route } from './routes.ts'

/** The routes of one path. */
export interface Place {
  readonly path: string
  readonly methods: ReadonlyMap<string, Route>
  /** The value of Allow. */
  readonly allow: string
}

export interface FoundEndpoint {
  readonly place: Place
  readonly params: Params
  /** The suffix: the part after the first dot of the last segment. */
  readonly suffix: string | undefined
}

/**
 * Finds the place of a path below the prefix. Segments are compared as they were sent: nothing is decoded, trimmed or folded
 * (decision 0006).
 */
export const router = (table: readonly Route[]): ((path: string) => FoundEndpoint | undefined) => {
  const root: Node = { literals: [] }
  for (const [path, routes] of Map.groupBy(table, (route) => route.path)) addPlace(root, place(path, routes))
  return (path) => {
    const suffix = suffixOf(path)
    const params: Record<string, string> = {}
    const place = walk(root, withoutSuffix(path, suffix), params)
    return place && { place, params, suffix }
  }
}

/** A path with its parameters replaced by their values. */
export const filledIn = (path: string, params: Params) =>
  path.replace(/:(\w+)/g, (_, name) => params[name] ?? '')

interface Node {
  /** Few, so a list: a map would first look up each request's text among all strings of the program. */
  readonly literals: { readonly segment: string; readonly node: Node }[]
  parameter?: { readonly name: string; readonly node: Node }
  place?: Place
}

const order: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const place = (path: string, routes: readonly Route[]): Place => {
  const methods = new Map<string, Route>(routes.map((route) => [route.method, route]))
  const get = methods.get('GET')
  if (get) methods.set('HEAD', get)
  const names = order
    .filter((method) => methods.has(method))
    .flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name))
  return { path, methods, allow: [...names, 'OPTIONS'].join(', ') }
}

const addPlace = (root: Node, place: Place) => {
  let node = root
  for (const segment of place.path.slice(1).split('/')) node = child(node, segment)
  node.place = place
}

const child = (node: Node, segment: string): Node => {
  if (segment.startsWith(':')) {
    node.parameter ??= { name: segment.slice(1), node: { literals: [] } }
    return node.parameter.node
  }
  const known = literal(node, segment)
  if (known) return known
  const fresh: Node = { literals: [] }
  node.literals.push({ segment, node: fresh })
  return fresh
}

const literal = ({ literals }: Node, segment: string) =>
  literals.find((known) => known.segment === segment)?.node

const walk = (root: Node, path: string, params: Record<string, string>): Place | undefined => {
  let node = root
  for (let from = 1; ; ) {
    const slash = path.indexOf('/', from)
    const segment = path.slice(from, slash < 0 ? path.length : slash)
    const next = literal(node, segment)
    if (next) node = next
    else {
      if (!node.parameter || segment === '') return undefined
      params[node.parameter.name] = segment
      node = node.parameter.node
    }
    if (slash < 0) return node.place
    from = slash + 1
  }
}

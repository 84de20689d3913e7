import { suffixOf, withoutSuffix } from '#http/wire/target.ts'
import type { Params } from './guard.ts'
import type { Method, Route } from './routes.ts'

/** The routes of one path. */
export interface Endpoint {
  readonly path: string
  readonly methods: ReadonlyMap<string, Route>
  /** The value of Allow. */
  readonly allow: string
}

export interface RouteMatch {
  readonly endpoint: Endpoint
  readonly params: Params
  /** The text after the first dot of the last segment. */
  readonly suffix: string | undefined
}

/**
 * Finds the endpoint of a path below the prefix. Segments are compared as they were sent: nothing is decoded, trimmed or folded
 * (decision 0006).
 */
export const router = (table: readonly Route[]): ((path: string) => RouteMatch | undefined) => {
  const root: PathNode = { literals: [] }
  for (const [path, routes] of Map.groupBy(table, (route) => route.path))
    addEndpoint(root, endpointOf(path, routes))
  return (path) => {
    const suffix = suffixOf(path)
    const params: Record<string, string> = {}
    const endpoint = findEndpoint(root, withoutSuffix(path, suffix), params)
    return endpoint && { endpoint, params, suffix }
  }
}

/** A path with its parameters replaced by their values. */
export const fillInParams = (path: string, params: Params) =>
  path.replace(/:(\w+)/g, (_, name) => params[name] ?? '')

interface PathNode {
  /** A list, because there are few: a map would first look up the text of each request among all strings of the program. */
  readonly literals: { readonly segment: string; readonly node: PathNode }[]
  parameter?: { readonly name: string; readonly node: PathNode }
  endpoint?: Endpoint
}

const methodOrder: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const endpointOf = (path: string, routes: readonly Route[]): Endpoint => {
  const methods = new Map<string, Route>(routes.map((route) => [route.method, route]))
  const get = methods.get('GET')
  if (get) methods.set('HEAD', get)
  const names = methodOrder
    .filter((method) => methods.has(method))
    .flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name))
  return { path, methods, allow: [...names, 'OPTIONS'].join(', ') }
}

const addEndpoint = (root: PathNode, endpoint: Endpoint) => {
  let node = root
  for (const segment of endpoint.path.slice(1).split('/')) node = childNode(node, segment)
  node.endpoint = endpoint
}

const childNode = (node: PathNode, segment: string): PathNode => {
  if (segment.startsWith(':')) {
    node.parameter ??= { name: segment.slice(1), node: { literals: [] } }
    return node.parameter.node
  }
  const existing = literalChild(node, segment)
  if (existing) return existing
  const added: PathNode = { literals: [] }
  node.literals.push({ segment, node: added })
  return added
}

const literalChild = ({ literals }: PathNode, segment: string) =>
  literals.find((known) => known.segment === segment)?.node

const findEndpoint = (root: PathNode, path: string, params: Record<string, string>): Endpoint | undefined => {
  let node = root
  for (let from = 1; ; ) {
    const slash = path.indexOf('/', from)
    const segment = path.slice(from, slash < 0 ? path.length : slash)
    const next = literalChild(node, segment)
    if (next) node = next
    else {
      if (!node.parameter || segment === '') return undefined
      params[node.parameter.name] = segment
      node = node.parameter.node
    }
    if (slash < 0) return node.endpoint
    from = slash + 1
  }
}

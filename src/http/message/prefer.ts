import { type Exchange, header } from '#http/wire/exchange.ts'
import { splitList } from '#http/wire/list-field.ts'

/** True if the caller states this preference (RFC 7240). */
export const prefers = (exchange: Exchange, name: 'return' | 'handling', value: string): boolean => {
  const prefer = header(exchange, 'prefer')
  if (prefer === undefined) return false
  // If two values contradict each other, the first counts.
  const preferences = new Map(splitList(prefer).flatMap(readPreference).toReversed())
  return preferences.get(name) === value
}

const preferenceShape =
  /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\.)*)")\s*)?(?:;|$)/

/** Ignores parameters, because the preferences that we know have none. Malformed elements are left out. */
const readPreference = (element: string): [name: string, value: string][] => {
  const [, name, token, quoted = ''] = preferenceShape.exec(element) ?? []
  if (name === undefined) return []
  return [[name.toLowerCase(), (token ?? quoted.replace(/\\(.)/g, '$1')).toLowerCase()]]
}

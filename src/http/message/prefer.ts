import { type Exchange, header } from '#http/wire/exchange.ts'
import { splitList } from '#http/wire/list-field.ts'

/** What a caller would like but does not require (RFC 7240). */
interface Preferences {
  readonly isMinimal: boolean
  /** Unknown parameters are refused instead of ignored. */
  readonly isStrict: boolean
}

const none: Preferences = { isMinimal: false, isStrict: false }

export const readPreferences = (prefer: string | undefined): Preferences => {
  if (prefer === undefined) return none
  // If two contradict one another, the first counts.
  const preferences = new Map(splitList(prefer).flatMap(readPreference).toReversed())
  return {
    isMinimal: preferences.get('return') === 'minimal',
    isStrict: preferences.get('handling') === 'strict',
  }
}

/** Whether a caller would rather be refused than misunderstood. */
export const wantsStrict = (exchange: Exchange) => readPreferences(header(exchange, 'prefer')).isStrict

const preferenceShape =
  /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\.)*)")\s*)?(?:;|$)/

/** Parameters of a preference are ignored: those that we know have none. Malformed elements are left out. */
const readPreference = (element: string): [name: string, value: string][] => {
  const [, name, token, quoted = ''] = preferenceShape.exec(element) ?? []
  if (name === undefined) return []
  return [[name.toLowerCase(), (token ?? quoted.replace(/\\(.)/g, '$1')).toLowerCase()]]
}

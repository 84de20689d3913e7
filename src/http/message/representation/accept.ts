import { splitList } from '#http/wire/list-field.ts'
import { parseMediaType } from './media-type.ts'

/**
 * The offered type that Accept prefers: the highest q, then the most specific range, then the earliest in the header, then
 * our own order. Undefined when none is acceptable. Malformed elements are ignored.
 */
export const chooseMediaType = (
  accept: string | undefined,
  offered: readonly string[],
): string | undefined => {
  const ranges = splitList(accept ?? '').flatMap(readRange)
  if (ranges.length === 0) return offered[0]
  const matches = offered.map((type) => ({ type, range: mostSpecific(ranges, type) }))
  const [best] = matches
    .filter(({ range }) => range && range.q > 0)
    .sort((a, b) => byPreference(a.range, b.range))
  return best?.type
}

/**
 * The offered coding with the highest q in Accept-Encoding; our order breaks ties. `identity` if the caller prefers it or
 * accepts none of the offered ones, and undefined if the caller refuses `identity` too.
 */
export const chooseCoding = (
  acceptEncoding: string | undefined,
  offered: readonly string[],
): string | undefined => {
  if (acceptEncoding === undefined) return identity
  const weights = new Map(splitList(acceptEncoding).flatMap(readCoding))
  const qOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = offered.filter((coding) => qOf(coding) > 0).sort((a, b) => qOf(b) - qOf(a))
  if (best !== undefined && qOf(best) >= qOf(identity)) return best
  const isIdentityRefused = (weights.get(identity) ?? weights.get('*')) === 0
  return isIdentityRefused ? undefined : identity
}

const identity = 'identity'

interface Range {
  readonly type: string
  /** A range with another charset matches nothing, because we write only UTF-8. Unknown parameters are ignored (RFC 9110, 12.5.1). */
  readonly isUtf8: boolean
  readonly q: number
  readonly position: number
}

const readRange = (element: string, position: number): Range[] => {
  const range = parseMediaType(element.replace(/^\s*\*\s*(?=;|$)/, '*/*'))
  const q = readQ(range?.parameters.get('q'))
  if (!range || q === undefined) return []
  return [{ type: range.type, isUtf8: (range.charset ?? 'utf-8') === 'utf-8', q, position }]
}

const mostSpecific = (ranges: readonly Range[], offered: string): Range | undefined => {
  const matching = ranges.filter((range) => covers(range, offered))
  return matching.reduce<Range | undefined>(
    (best, range) => (!best || specificity(range) > specificity(best) ? range : best),
    undefined,
  )
}

const covers = ({ type, isUtf8 }: Range, offered: string) =>
  isUtf8 && (type === '*/*' || type === offered || type === `${offered.split('/', 1)[0]}/*`)

const specificity = ({ type }: Range) => {
  if (type === '*/*') return 0
  return type.endsWith('/*') ? 1 : 2
}

const byPreference = (a: Range | undefined, b: Range | undefined) =>
  a && b ? b.q - a.q || specificity(b) - specificity(a) || a.position - b.position : 0

const codingShape = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:;\s*q=([\d.]+)\s*)?$/i

const readCoding = (element: string): [coding: string, q: number][] => {
  const [, name, weight] = codingShape.exec(element) ?? []
  const q = readQ(weight)
  if (name === undefined || q === undefined) return []
  return [[name.toLowerCase().replace(/^x-gzip$/, 'gzip'), q]]
}

/** Also reads `.2`, which some clients write. */
const readQ = (weight = '1'): number | undefined => {
  const isNumber = /^(?:[01](?:\.\d*)?|\.\d+)$/.test(weight)
  return isNumber && Number(weight) <= 1 ? Number(weight) : undefined
}

import {
  countCodePoints,
  dayShape,
  instantShape,
  isDate,
  isXmlText,
  parseInstant,
  toPrintableName,
  xmlTextPattern,
} from '#core/formats.ts'
import { isId } from '#core/id.ts'
import { type Detail, notOneOf, Problem, parametersInvalid } from '#core/problem.ts'
import { prefers } from '#http/message/prefer.ts'
import type { Exchange } from '#http/wire/exchange.ts'

export interface Parameter<T> {
  /** For the OpenAPI document. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly description: string
  /** The fields with which the parameter is compared. Callers need the right to see all of them or, if this is absent, the full view. */
  readonly comparedFields?: readonly string[]
  /** Reads all values that were sent under its name, or returns the detail of a refusal. */
  read(texts: readonly string[], target: string): ReadResult<T>
}

export type ReadResult<T> = { readonly value: T } | { readonly refusal: Detail }

export type Filter = Readonly<Record<string, Parameter<unknown>>>

/** The values of a filter by name. Parameters that were not sent are undefined. */
export type FilterValues<F extends Filter> = {
  readonly [K in keyof F]: (NonNullable<F[K]> extends Parameter<infer T> ? T : never) | undefined
}

/** The values of a query by name, still encoded. Those of unknown names are never decoded. */
export type Query = ReadonlyMap<string, readonly string[]>

/** Reads the pairs in order. `sort[]`, as many clients write a list, is read as `sort`. A name that cannot be decoded stays as sent. */
export const parseQuery = (query: string): Query => {
  if (query === '') return emptyQuery
  const values = new Map<string, string[]>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const sent = equals < 0 ? pair : pair.slice(0, equals)
    const name = (decode(sent) ?? sent).replace(/\[\]$/, '')
    const value = equals < 0 ? '' : pair.slice(equals + 1)
    const earlier = values.get(name)
    if (earlier) earlier.push(value)
    else values.set(name, [value])
  }
  return values
}

const emptyQuery: Query = new Map()

/** Undefined if the percent-encoded bytes are not UTF-8. */
const decode = (text: string): string | undefined => {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

export const typeMismatch = (target: string, expected: string): Detail => ({
  code: 'TypeMismatch',
  target,
  args: { expected },
})

/**
 * Reads the parameters of a filter from a query. Reports all faults together or, if some values have the wrong type, only those
 * (decision 0011). Ignores other parameters, but refuses them with `handling=strict` and with DELETE, where a misspelled parameter
 * could delete more or less than intended.
 */
export const readParameters = <F extends Filter>(
  { query, exchange }: { readonly query: Query; readonly exchange: Exchange },
  filter: F,
): FilterValues<F> => {
  if (query.size === 0) return noValues as FilterValues<F>
  const isStrict = exchange.method === 'DELETE' || prefers(exchange, 'handling', 'strict')
  const unknown = isStrict ? [...query.keys()].filter((name) => !Object.hasOwn(filter, name)) : []
  const refused = unknown.map((name): Detail => ({ code: 'Unknown', target: toPrintableName(name) }))
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(filter)) {
    const sent = query.get(name)
    if (sent === undefined) continue
    const read = readSent(parameter, sent, name)
    if ('refusal' in read) refused.push(read.refusal)
    else values[name] = read.value
  }
  refuseAny(refused)
  return values as FilterValues<F>
}

const noValues = {}

const readSent = <T>(parameter: Parameter<T>, sent: readonly string[], name: string): ReadResult<T> => {
  const texts = sent.map(decode)
  if (texts.every((text) => text !== undefined)) return parameter.read(texts, name)
  return { refusal: undecodable(parameter, sent[texts.indexOf(undefined)] ?? '', name) }
}

/** The refusal of a value that cannot be decoded. To name the expected type, it reads the text as it was sent. */
const undecodable = <T>(parameter: Parameter<T>, sent: string, name: string): Detail => {
  const read = parameter.read([sent], name)
  return 'refusal' in read && isMismatch(read.refusal) ? read.refusal : typeMismatch(name, 'string')
}

const isMismatch = ({ code }: Detail) => code === 'TypeMismatch'

const refuseAny = (refused: readonly Detail[]) => {
  const mismatches = refused.filter(isMismatch)
  if (mismatches.length > 0) throw new Problem('typeMismatch', { details: mismatches })
  if (refused.length > 0) throw parametersInvalid(refused)
}

/** Declares which fields a parameter compares. */
export const withComparedFields = <T>(
  comparedFields: readonly string[],
  parameter: Parameter<T>,
): Parameter<T> => ({
  ...parameter,
  comparedFields,
})

/** A parameter that the caller may not use. It is refused as unknown, because ignoring it would give a wrong answer. */
export const refusedParameter = (parameter: Parameter<unknown>): Parameter<never> => ({
  ...parameter,
  read: (_, target) => ({ refusal: { code: 'Unknown', target } }),
})

export const readOnce =
  <T>(read: (text: string, target: string) => ReadResult<T>) =>
  ([text = '', ...more]: readonly string[], target: string): ReadResult<T> =>
    more.length > 0 ? { refusal: { code: 'Once', target } } : read(text, target)

export const flagParameter = (description: string): Parameter<boolean> => ({
  schema: { type: 'boolean' },
  description,
  read: readOnce((text, target) =>
    text === 'true' || text === 'false'
      ? { value: text === 'true' }
      : { refusal: typeMismatch(target, 'boolean') },
  ),
})

interface Range {
  readonly minimum: number
  readonly maximum?: number
  readonly default?: number
}

export const integerParameter = (description: string, range: Range): Parameter<number> => ({
  schema: { type: 'integer', format: 'int64', ...range },
  description,
  read: readOnce((text, target) => {
    if (!/^(?!-0*$)-?\d+$/.test(text)) return { refusal: typeMismatch(target, 'integer') }
    const { minimum: min, maximum = Number.POSITIVE_INFINITY } = range
    const value = Number(text)
    if (value < min) return { refusal: { code: 'Min', target, args: { min } } }
    if (value <= maximum) return { value }
    return { refusal: { code: 'Pattern', wording: 'Pattern.max', target, args: { max: maximum } } }
  }),
})

export const instantParameter = (description: string, timeZone: string): Parameter<number> => ({
  schema: {
    type: 'string',
    maxLength: 29,
    pattern: instantShape.source,
    examples: ['2026-11-21', '2026-11-21T06:45:00.123+00:00'],
  },
  description: `${description} Either a date, which stands for its beginning in the time zone of the service, or a time with milliseconds and an offset, such as \`2026-11-21T06:45:00.123Z\`.`,
  read: readOnce((text, target) => {
    // A plus sign that was not encoded has been decoded as a space.
    const value = parseInstant(text.replace(' ', '+'), timeZone)
    if (value !== undefined) return { value }
    return { refusal: { code: 'TypeMismatch', wording: 'TypeMismatch.instant', target } }
  }),
})

export const textParameter = (description: string, max: number): Parameter<string> => ({
  schema: { type: 'string', minLength: 1, maxLength: max, pattern: xmlTextPattern },
  description,
  read: readOnce((value, target) => {
    if (value === '') return { refusal: { code: 'NotEmpty', target } }
    if (countCodePoints(value) > max) return { refusal: { code: 'Size', target, args: { min: 1, max } } }
    return isXmlText(value) ? { value } : { refusal: { code: 'Pattern', target } }
  }),
})

export const idParameter = (description: string): Parameter<string> => ({
  schema: { type: 'string', format: 'uuid', maxLength: 36 },
  description,
  read: readOnce((value, target) => (isId(value) ? { value } : { refusal: typeMismatch(target, 'uuid') })),
})

/** A text that a field must equal or begin with. */
export interface TextMatch {
  readonly text: string
  readonly isPrefix: boolean
}

export const matchParameter = (description: string, max: number): Parameter<TextMatch> => {
  const { read, ...others } = textParameter(`${description} A trailing \`*\` means "begins with".`, max)
  return {
    ...others,
    read(texts, target) {
      const found = read(texts, target)
      if ('refusal' in found || !found.value.endsWith('*'))
        return 'refusal' in found ? found : exactMatch(found.value)
      const text = found.value.slice(0, -1)
      return text === '' ? { refusal: { code: 'NotEmpty', target } } : { value: { text, isPrefix: true } }
    },
  }
}

const exactMatch = (text: string): ReadResult<TextMatch> => ({ value: { text, isPrefix: false } })

export const dateParameter = (description: string): Parameter<string> => ({
  schema: { type: 'string', format: 'date', maxLength: 10 },
  description,
  read: readOnce((value, target) => (isDate(value) ? { value } : { refusal: typeMismatch(target, 'date') })),
})

/** A day of the year, such as `11-28`. */
export const dayParameter = (description: string): Parameter<string> => ({
  schema: { type: 'string', maxLength: 5, pattern: dayShape.source, examples: ['11-28'] },
  description,
  read: readOnce((value, target) =>
    dayShape.test(value)
      ? { value }
      : { refusal: { code: 'TypeMismatch', wording: 'TypeMismatch.day', target } },
  ),
})

export const choiceParameter = (description: string, choices: readonly string[]): Parameter<string> => ({
  schema: { type: 'string', enum: choices },
  description,
  read: readOnce((value, target) =>
    choices.includes(value) ? { value } : { refusal: notOneOf(target, choices) },
  ),
})

import { memoize } from '#core/memoize.ts'
import { notOneOf, Problem } from '#core/problem.ts'
import { chooseMediaType } from './accept.ts'

export type Format = 'json' | 'xml' | 'problem'

export const mediaTypes: Readonly<Record<Format, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  problem: 'application/problem+json',
}

/** The format of an answer: a suffix takes precedence over Accept. */
export const chooseFormat = (suffix: string | undefined, accept: string | undefined): Format => {
  const format = suffix === undefined ? acceptedFormat(accept ?? anyType) : formatOfSuffix(suffix)
  if (!format) throw suffix === undefined ? unknownTypes : unknownSuffix
  return format
}

/** Refuses a suffix that is neither `json` nor `xml`. */
export const refuseUnknownSuffix = (suffix: string | undefined) => {
  if (suffix !== undefined && !formatOfSuffix(suffix)) throw unknownSuffix
}

/** The format of a refusal: JSON if the caller accepts none of our formats. */
export const chooseErrorFormat = (suffix: string | undefined, accept: string | undefined): Format =>
  formatOfSuffix(suffix) ?? acceptedErrorFormat(accept ?? anyType) ?? 'json'

const formatOfSuffix = (suffix: string | undefined): Format | undefined =>
  suffix === 'json' || suffix === 'xml' ? suffix : undefined

const anyType = '*/*'

const answerFormats: readonly Format[] = ['json', 'xml']

const notAcceptable = (target: string, allowed: readonly string[]) =>
  new Problem('notAcceptable', { details: [notOneOf(target, allowed)] })

const unknownTypes = notAcceptable(
  'Accept',
  answerFormats.map((format) => mediaTypes[format]),
)
const unknownSuffix = notAcceptable(
  'extension',
  answerFormats.map((format) => `.${format}`),
)

/** Problem details (RFC 9457) are a format of errors only, for callers that name it in Accept. */
const errorFormats: readonly Format[] = ['problem', ...answerFormats]

const choose = (accept: string, formats: readonly Format[]) => {
  const type = chooseMediaType(
    accept,
    formats.map((format) => mediaTypes[format]),
  )
  return formats.find((format) => mediaTypes[format] === type)
}

const acceptedFormat = memoize((accept): Format | undefined => choose(accept, answerFormats))

const acceptedErrorFormat = memoize((accept): Format | undefined =>
  choose(accept, accept.toLowerCase().includes(mediaTypes.problem) ? errorFormats : answerFormats),
)

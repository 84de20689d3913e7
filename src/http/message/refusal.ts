import type { Messages } from '#core/error-table.ts'
import { type Locale, lookupLocale } from '#core/locale.ts'
import { memoize } from '#core/memoize.ts'
import { codeOfKind, type Problem } from '#core/problem.ts'
import { chooseErrorFormat, type Format, mediaTypes } from '#http/message/representation/format.ts'
import { writeXml } from '#http/message/representation/xml-write.ts'
import type { Answer, RefusedRequest } from '#http/wire/answer.ts'
import { errorBody, statusOf } from '#http/wire/errors.ts'
import { cacheControlValue, fieldList, varyValue } from '#http/wire/headers.ts'
import type { Cors } from './cors.ts'
import { type JsonSchema, textSchema } from './schema.ts'

export interface RefusalContext {
  readonly messages: Messages
  readonly locale: Locale
  /** The address of the pages that explain codes to people; the code is appended. */
  readonly errorsUrl: string
  /** The prefix that callers see before every path, such as `/base`. */
  readonly basePath: string
  /** Absent if no other origins are allowed. */
  readonly cors?: Cors | undefined
}

/** Turns a problem into an answer in the caller's language and format. */
export const answerProblem = (problem: Problem, request: RefusedRequest, context: RefusalContext): Answer => {
  const locale = chooseLocale(request.acceptLanguage, context.locale)
  const format = chooseErrorFormat(request.suffix, request.accept)
  const headers = [
    ...(context.cors?.fields(request.origin) ?? []),
    ...fieldList({
      'Content-Type': mediaTypes[format],
      'Content-Language': locale,
      'Cache-Control': cacheControlValue,
      Vary: varyValue,
      ...problem.headers,
    }),
  ]
  return {
    status: statusOf[problem.kind],
    headers,
    body: bodyOf(problem, { format, locale, request }, context),
  }
}

const chooseLocale = (acceptLanguage: string | undefined, fallback: Locale): Locale =>
  acceptLanguage ? lookupByFallback[fallback](acceptLanguage) : fallback

const lookupByFallback: Readonly<Record<Locale, (acceptLanguage: string) => Locale>> = {
  en: memoize((acceptLanguage) => lookupLocale(acceptLanguage, 'en')),
  ja: memoize((acceptLanguage) => lookupLocale(acceptLanguage, 'ja')),
}

interface BodyOptions {
  readonly format: Format
  readonly locale: Locale
  readonly request: RefusedRequest
}

const bodyOf = (
  { kind, withCodes }: Problem,
  { format, locale, request }: BodyOptions,
  { messages, errorsUrl, basePath }: RefusalContext,
) => {
  const error = errorBody(withCodes, messages, locale)
  if (format === 'json') return JSON.stringify(error)
  if (format === 'xml') return writeXml('error', error, errorSchema)
  // The fields of RFC 9457, next to our own. The title is the same for every problem of its kind.
  return JSON.stringify({
    type: errorsUrl + error.code,
    title: messages[locale][codeOfKind[kind]] ?? error.message,
    status: statusOf[kind],
    detail: [error, ...(error.details ?? [])].map(({ message }) => message).join(' '),
    ...error,
    instance: referenceTo(request.path, basePath),
    trackId: request.track,
  })
}

/** The path as a URI reference (RFC 3986). An empty path refers to the URL of the request. `//` would begin a host, so `/.` goes before it. */
const referenceTo = (path: string, basePath: string) => {
  const fullPath = path && basePath + path
  return fullPath.startsWith('//') ? `/.${fullPath}` : fullPath
}

const detailSchema: JsonSchema = {
  type: 'object',
  xml: { name: 'detail' },
  properties: {
    code: textSchema,
    message: textSchema,
    target: textSchema,
    allowed: { type: 'array', items: { ...textSchema, xml: { name: 'code' } } },
    byRule: { type: 'boolean' },
  },
}

const errorSchema: JsonSchema = {
  type: 'object',
  xml: { name: 'error' },
  properties: { ...detailSchema.properties, details: { type: 'array', items: detailSchema } },
}

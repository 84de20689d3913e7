import { plainText } from '#core/formats.ts'
import { type Kind, rootCodes } from '#core/problem.ts'
import type { Words } from '#core/words.ts'
import { statusOf } from '#http/errors.ts'
import type { Form } from '#http/representation/form.ts'
import type { Route } from '#http/routes.ts'
import type { ShowRefusal } from './examples.ts'
import { headerReferences } from './headers.ts'
import { type Node, reference } from './node.ts'
import type { Access } from './security.ts'

/** The codes of the refusals that a route may answer with, by status. `default` holds what is refused before any route. */
export type Refusals = ReadonlyMap<string, readonly string[]>

export const refusalsOf = (route: Route, shown: Route | undefined, access: Access): Refusals => {
  const codes = [...kindsOf(route, shown, access).map((kind) => rootCodes[kind]), ...(route.refuses ?? [])]
  const byStatus = Map.groupBy(codes, statusOfCode)
  const sorted = [...byStatus].sort(([a], [b]) => a - b)
  return new Map([
    ...sorted.map(([status, codes]) => [String(status), [...new Set(codes)].sort()] as const),
    ['default', beforeRoutes.map((kind) => rootCodes[kind])],
  ])
}

const anywhere: readonly Kind[] = [
  'httpSyntax',
  'parametersInvalid',
  'typeMismatch',
  'notAcceptable',
  'tooManyRequests',
  'system',
  'storageUnavailable',
  'overloaded',
]

const beforeRoutes: readonly Kind[] = [
  'forbidden',
  'methodNotAllowed',
  'requestTimeout',
  'targetTooLong',
  'expectationFailed',
  'headersTooLarge',
]

export const refusalsOfDocument: Refusals = new Map([
  ['400', [rootCodes.httpSyntax]],
  ['412', [rootCodes.preconditionFailed]],
  ['429', [rootCodes.tooManyRequests]],
  ['500', [rootCodes.system]],
  ['default', beforeRoutes.map((kind) => rootCodes[kind])],
])

const guarded: readonly Kind[] = ['unauthenticated', 'forbidden']

const withBody: readonly Kind[] = ['bodyInvalid', 'bodyUnreadable', 'bodyTooLarge', 'unsupportedMediaType']

const kindsOf = (route: Route, shown: Route | undefined, access: Access): readonly Kind[] => {
  const kinds: Kind[] = [...anywhere]
  const isItem = route.path.includes(':')
  const hasOwn404 = route.refuses?.some((code) => statusOfCode(code) === 404)
  if (access !== 'open') kinds.push(...guarded)
  if (access === 'oauth' || access === 'any') kinds.push('issuerUnavailable')
  if (isItem && !hasOwn404) kinds.push('notFound')
  if (route.body) kinds.push(...withBody)
  else if (route.method !== 'GET') kinds.push('bodyTooLarge')
  if (!isItem || route.method === 'GET' || shown) kinds.push('preconditionFailed')
  if (route.method !== 'GET') kinds.push('conflict')
  if (route.method === 'POST' || route.method === 'PATCH') kinds.push('keyInUse', 'keyReused')
  if (route.insistsOnVersion) kinds.push('preconditionRequired')
  return kinds
}

const statuses: ReadonlyMap<string, number> = new Map(
  Object.entries(rootCodes).map(([kind, code]) => [code, statusOf[kind as Kind]]),
)

/** A resource numbers its own codes as the service does: 5xxx means not found, 8xxx a conflict. */
export const statusOfCode = (code: string): number =>
  statuses.get(code) ?? (/\.5\d{3}$/.test(code) ? statusOf.notFound : statusOf.business)

const reasons: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  406: 'NotAcceptable',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  428: 'PreconditionRequired',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
  default: 'Refused',
}

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  409: ['Retry-After'],
  415: ['Accept', 'Accept-Patch', 'Accept-Encoding'],
  429: ['Retry-After'],
  503: ['Retry-After'],
  default: ['Allow'],
}

const always = ['Cache-Control', 'Content-Language', 'Vary']

/** The refusals as named responses, one for each status and set of codes, with examples. */
export interface ErrorBook {
  readonly responses: Record<string, Node>
  readonly examples: Record<string, Node>
  /** The responses of an operation for its refusals. */
  responsesFor(refusals: Refusals): Node
}

export const errorBook = (words: Words, show: ShowRefusal): ErrorBook => {
  const responses: Record<string, Node> = {}
  const examples: Record<string, Node> = {}
  const messages = words.en

  const exampleOf = (code: string, form: Form) => {
    const name = form === 'problem' ? `Problem-${code}` : code
    const value = show(code, form)
    examples[name] ??= { summary: value.title ?? value.message, value }
    return [code, reference('examples', name)] as const
  }

  const response = (status: string, codes: readonly string[]) => {
    const name = [reasons[status], ...codes.map((code) => code.replace(/^e\.xx\.(?:fw\.)?/, ''))].join('-')
    const narrowed = { type: 'object', properties: { code: { type: 'string', enum: codes } } }
    const content = (schema: string, form: Form) => ({
      schema: { allOf: [reference('schemas', schema), narrowed] },
      examples: Object.fromEntries(codes.map((code) => exampleOf(code, form))),
    })
    responses[name] ??= {
      description: codes.map((code) => `\`${code}\` ${messages[code]}`).join('\n\n'),
      headers: headerReferences([...always, ...(fieldsOf[status] ?? [])]),
      content: {
        'application/json': content('Error', 'json'),
        'application/xml': { schema: { allOf: [reference('schemas', 'Error'), narrowed] } },
        'application/problem+json': content('Problem', 'problem'),
      },
    }
    return reference('responses', name)
  }

  const responsesFor = (refusals: Refusals) =>
    Object.fromEntries([...refusals].map(([status, codes]) => [status, response(status, codes)]))

  return { responses, examples, responsesFor }
}

const text = (description: string, maxLength: number) => ({
  type: 'string',
  description,
  maxLength,
  pattern: plainText,
})

/** It may repeat a path. */
const longestMessage = 10_000

/** As many names as a body is deep, with the dots between them. */
const longestTarget = 2_100

/** A target holds no more names of parameters. */
const mostDetails = 4_096

/** `codes` are those of whole refusals, `constraints` those that only their details have. */
export const errorSchemas = (codes: readonly string[], constraints: readonly string[]): Node => {
  const message = text('What is wrong, in the language of the request.', longestMessage)
  const target = text('The field or parameter at fault.', longestTarget)
  const details = {
    type: 'array',
    maxItems: mostDetails,
    description: 'One entry for each failing field or cause; omitted if there are none.',
    items: reference('schemas', 'ErrorDetail'),
    xml: { wrapped: true },
  }
  const code = reference('schemas', 'ErrorCode')
  return {
    ErrorCode: {
      type: 'string',
      description: 'Identifies the error for programs. A code never changes.',
      enum: codes,
    },
    Constraint: { type: 'string', description: 'The rule that was broken.', enum: constraints },
    ErrorDetail: {
      type: 'object',
      description: 'One cause of an error.',
      xml: { name: 'detail' },
      properties: {
        code: {
          description: 'The rule that was broken, or an error code.',
          anyOf: [reference('schemas', 'Constraint'), code],
        },
        message,
        target,
      },
      required: ['code', 'message'],
      additionalProperties: false,
    },
    Error: {
      type: 'object',
      description: 'Why a request was refused.',
      xml: { name: 'error' },
      properties: { code, message, target, details },
      required: ['code', 'message'],
      additionalProperties: false,
    },
    Problem: {
      type: 'object',
      description: 'The same error as problem details (RFC 9457), for callers whose Accept prefers them.',
      properties: {
        type: { ...text('Where the code is explained.', 2000), format: 'uri-reference' },
        title: text('The message shared by all problems of this kind, in the language of the request.', 1000),
        status: {
          type: 'integer',
          format: 'int32',
          minimum: 400,
          maximum: 599,
          description: 'The HTTP status code.',
        },
        detail: text('The message, followed by those of the details.', 100_000),
        instance: {
          ...text('The requested path, prefixed with the path of the public address.', 16_384),
          format: 'uri-reference',
        },
        code,
        message,
        target,
        details,
        trackId: text('The value of X-Track.', 64),
      },
      required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'message', 'trackId'],
      additionalProperties: false,
    },
  }
}

import { type Code, type ErrorTable, messagesOf, splitLines } from '#core/error-table.ts'
import { xmlTextPattern } from '#core/formats.ts'
import { codeOfKind, type ProblemKind, parametersInvalid } from '#core/problem.ts'
import type { Route } from '#http/api/routes.ts'
import { choice, flag, list, object, text, whole } from '#http/message/schema.ts'
import { errorBody, statusOf } from '#http/wire/errors.ts'
import { headerReferences } from './headers.ts'
import { type Node, reference } from './node.ts'
import type { Access } from './security.ts'

/** The codes that a route refuses with, both its own and those of the service, sorted. */
export const refusalsOf = (route: Route, itemRoute: Route | undefined, access: Access): readonly string[] => {
  const codes = [...codesOf(...kindsOf(route, itemRoute, access)), ...(route.refusals ?? [])]
  return [...new Set(codes)].sort()
}

const codesOf = (...kinds: readonly ProblemKind[]): readonly string[] => kinds.map((kind) => codeOfKind[kind])

export const refusalsOfDocument = codesOf('httpSyntax', 'preconditionFailed', 'tooManyRequests', 'system')

/** The refusals of a request before it reaches a route. */
const refusalsBeforeRoutes = [
  ...codesOf('forbidden', 'methodNotAllowed', 'requestTimeout'),
  ...codesOf('targetTooLong', 'expectationFailed', 'headersTooLarge'),
]

const kindsOf = (route: Route, itemRoute: Route | undefined, access: Access): readonly ProblemKind[] => {
  const kinds: ProblemKind[] = ['httpSyntax', 'parametersInvalid', 'typeMismatch', 'notAcceptable']
  kinds.push('tooManyRequests', 'system', 'storageUnavailable', 'overloaded')
  const isItem = route.path.includes(':')
  const hasOwn404 = route.refusals?.some((code) => statusOfCode(code) === 404)
  if (access !== 'open') kinds.push('unauthenticated', 'forbidden')
  if (access === 'oauth' || access === 'any') kinds.push('issuerUnavailable')
  if (isItem && !hasOwn404) kinds.push('notFound')
  if (route.body || route.isBatch)
    kinds.push('bodyInvalid', 'bodyUnreadable', 'bodyTooLarge', 'unsupportedMediaType')
  else if (route.method !== 'GET') kinds.push('bodyTooLarge')
  if (route.upload) kinds.push('unsupportedMediaType')
  if (!route.feed && !route.isHistory && (!isItem || route.method === 'GET' || itemRoute))
    kinds.push('preconditionFailed')
  if (route.method !== 'GET') kinds.push('conflict')
  if (route.method === 'POST' || route.method === 'PATCH') kinds.push('keyInUse', 'keyReused')
  if (route.showsSecret) kinds.push('secretNotKept')
  if (route.isBatch) kinds.push('operationFailed')
  if (route.requiresVersion) kinds.push('preconditionRequired')
  return kinds
}

const statuses: ReadonlyMap<string, number> = new Map(
  Object.entries(codeOfKind).map(([kind, code]) => [code, statusOf[kind as ProblemKind]]),
)

/** Codes of resources are numbered as those of the service: 5xxx means not found, 8xxx a conflict. */
export const statusOfCode = (code: string): number =>
  statuses.get(code) ?? (/\.5\d{3}$/.test(code) ? statusOf.notFound : statusOf.business)

const fieldsByStatus: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  410: ['Link'],
  409: ['Retry-After'],
  415: ['Accept', 'Accept-Patch', 'Accept-Encoding'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

export type ErrorSet = ReturnType<typeof errorSet>

/** The refusals as named responses, one for each status. */
export const errorSet = (errors: ErrorTable) => {
  const responses: Record<string, Node> = {}
  const byStatus = Map.groupBy(Object.keys(errors).filter(isRefusal).sort(), statusOfCode)

  const response = (name: string, codes: readonly string[], fields: readonly string[] = []) => {
    responses[name] ??= {
      description: codes.map((code) => `\`${code}\` ${splitLines(errors[code]?.en ?? code)[0]}`).join('\n\n'),
      headers: headerReferences(['Cache-Control', 'Content-Language', 'Vary', ...fields]),
      content: {
        'application/json': { schema: reference('schemas', 'Error') },
        'application/xml': { schema: reference('schemas', 'Error') },
        'application/problem+json': { schema: reference('schemas', 'Problem') },
      },
      'x-error-codes': codes,
    }
    return reference('responses', name)
  }

  /** The responses of an operation that refuses with these codes, and `default` for refusals before it is reached. */
  const responsesFor = (codes: readonly string[]) =>
    Object.fromEntries([
      ...[...new Set(codes.map(statusOfCode))].map((status) => [
        status,
        response(`Refused${status}`, byStatus.get(status) ?? [], fieldsByStatus[status]),
      ]),
      ['default', response('Refused', refusalsBeforeRoutes, ['Allow'])],
    ])

  return { responses, responsesFor }
}

/** True if a code is that of a whole refusal, not of a detail. */
export const isRefusal = (code: string) => code.startsWith('e.')

/** A message may contain a path. */
const maxMessageLength = 10_000

/** A target has at most as many names as a body is deep, with the dots between them. */
const maxTargetLength = 2_100

/** The longest code of a declared rule. */
const maxCodeLength = 256

/** A URL of the permitted length cannot have more unknown parameters. */
const maxDetails = 4_096

/** The schemas of errors. If `hasRules`, declared rules refuse with further codes, so the codes are not an enumeration. */
export const errorSchemas = (
  errors: ErrorTable,
  names: Readonly<Record<string, Code>>,
  hasRules = false,
): Node => {
  const codeSchema = (description: string, listed: readonly string[]) =>
    hasRules
      ? { ...textSchema(description, maxCodeLength), examples: listed.slice(0, 1) }
      : choice(description, listed)
  const nameOf = new Map(Object.entries(names).map(([name, code]) => [code, name]))
  const codes = Object.keys(errors).filter(isRefusal).sort()
  const constraints = Object.keys(errors).filter((code) => !code.includes('.'))
  const exampleProblem = parametersInvalid([{ code: 'Min', target: 'size', args: { min: 1 } }])
  const textSchema = (description: string, maxLength: number) => text(description, xmlTextPattern, maxLength)
  const code = reference('schemas', 'ErrorCode')
  const eitherCode = [reference('schemas', 'Constraint'), code]
  const message = textSchema('What is wrong, in the language of the request.', maxMessageLength)
  const target = textSchema('The field or parameter at fault.', maxTargetLength)
  const byRule = flag(
    'True if a rule of the resource refused the change. The message is then that of the rule.',
  )
  const perField = 'One entry for each failing field or cause; omitted if there are none.'
  const details = list(perField, reference('schemas', 'ErrorDetail'), maxDetails)
  const optional = ['target', 'details', 'byRule']
  const address = (description: string, maxLength: number) => ({
    ...textSchema(description, maxLength),
    format: 'uri-reference',
  })
  return {
    ErrorCode: {
      ...codeSchema('Identifies the error for programs. A code never changes.', codes),
      // Generators of clients take the names of constants from here.
      ...(!hasRules && {
        'x-enum-varnames': codes.map((code) => nameOf.get(code) ?? code.replaceAll('.', '_')),
      }),
    },
    Constraint: codeSchema('The rule that was broken.', constraints),
    ErrorDetail: object(
      'One cause of an error.',
      {
        code: { description: 'The rule that was broken, or an error code.', anyOf: eitherCode },
        message,
        target,
        allowed: list(
          'The codes that the field may hold, if it holds another one.',
          { ...textSchema('A code.', maxCodeLength), xml: { name: 'code' } },
          maxDetails,
        ),
        byRule,
      },
      { xml: 'detail', optional: ['target', 'allowed', 'byRule'] },
    ),
    Error: {
      ...object(
        'Why a request was refused.',
        { code, message, target, details, byRule },
        { xml: 'error', optional },
      ),
      examples: [errorBody(exampleProblem.withCodes, messagesOf(errors), 'en')],
    },
    Problem: object(
      'The same error as problem details (RFC 9457), for callers whose Accept prefers them.',
      {
        type: address('Where the code is explained.', 2000),
        title: textSchema(
          'The message shared by all problems of this kind, in the language of the request.',
          1000,
        ),
        status: { ...whole('The HTTP status code.', 400, 599), format: 'int32' },
        detail: textSchema('The message, followed by those of the details.', 100_000),
        instance: address('The requested path, prefixed with the path of the public address.', 16_384),
        code,
        message,
        target,
        details,
        byRule,
        trackId: textSchema('The value of X-Track.', 64),
      },
      { optional },
    ),
  }
}

import { locales } from '#core/locale.ts'
import { feedParameters } from '#http/api/feed-parameters.ts'
import { historyParameters } from '#http/api/history.ts'
import { pagingParameters } from '#http/api/paging.ts'
import { presentationParameters } from '#http/api/presentation.ts'
import type { Filter } from '#http/api/query.ts'
import type { Route } from '#http/api/routes.ts'
import { fieldSchema, type Node, reference } from './node.ts'

/** The parameters and header fields of a request to this route. `hasLastModified` tells whether the item has Last-Modified. */
export const parametersOf = (
  route: Route,
  hasLastModified: boolean,
  aliasNotes: AliasNotes,
): readonly Node[] => [
  ...pathParameters(route.path, aliasNotes),
  ...queryParameters(queryOf(route)),
  ...references(headersOf(route, hasLastModified)),
]

const references = (names: readonly string[]) => names.map((name) => reference('parameters', name))

export type AliasNotes = Readonly<Record<string, string>>

const pathParameters = (path: string, aliasNotes: AliasNotes): readonly Node[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: `The identifier assigned by the service. An unknown or malformed one gives 404.${name in aliasNotes ? ` ${aliasNotes[name]}` : ''}`,
    schema: { type: 'string', maxLength: 200, pattern: '^[^/?#]+$' },
  }))

export const hasAlias = (path: string, aliasNotes: AliasNotes) =>
  Object.keys(aliasNotes).some((name) => path.includes(`:${name}`))

const queryOf = (route: Route): Filter => ({
  ...(route.feed && feedParameters(route.feed, 'UTC')),
  ...route.list?.filter,
  ...route.upload?.parameters,
  ...(route.isHistory ? historyParameters : {}),
  ...(route.feed || route.isHistory || route.isBatch ? {} : presentationParameters(route)),
  ...(route.list && pagingParameters(route.list.sortable)),
})

const queryParameters = (filter: Filter): readonly Node[] =>
  Object.entries(filter).map(([name, { schema, description }]) => ({
    name,
    in: 'query',
    description,
    schema,
    ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
    ...(name === 'cursor' ? { allowEmptyValue: true } : {}),
  }))

const commonFields = ['X-Track', 'traceparent', 'Accept-Language']
const fieldsWithoutDates = ['If-None-Match', 'If-Match', ...commonFields]
const fieldsWithDates = [
  'If-None-Match',
  'If-Match',
  'If-Modified-Since',
  'If-Unmodified-Since',
  ...commonFields,
]

export const parametersOfGetDocument = references(fieldsWithoutDates)

const headersOf = (
  { method, path, body, list, feed, isHistory, isBatch }: Route,
  hasLastModified: boolean,
): readonly string[] => {
  if (isHistory) return commonFields
  if (feed) return ['Last-Event-ID', ...commonFields]
  if (method === 'GET') return hasLastModified && !list ? fieldsWithDates : fieldsWithoutDates
  const isDatedItem = hasLastModified && path.includes(':')
  const conditions = ['If-Match', 'If-None-Match', ...(isDatedItem ? ['If-Unmodified-Since'] : [])]
  const keyed = method === 'POST' || method === 'PATCH' ? ['Idempotency-Key'] : []
  const preferred = method === 'DELETE' ? [] : ['Prefer']
  const coded = body || isBatch ? ['Content-Encoding'] : []
  return [...conditions, ...keyed, ...preferred, ...coded, ...commonFields]
}

const field = (description: string, schema: Node): Node => ({
  description,
  schema: fieldSchema('^[\\t\\x20-\\x7e\\x80-\\xff]*$', schema),
})

const date = { examples: ['Sat, 21 Nov 2026 06:45:00 GMT'] }

const fields: Readonly<Record<string, Node>> = {
  'If-Match': field(
    'Proceed only if the version is still the one that was read: one or more ETags, or `*`. If the version has changed, the request is refused with 412. A weak ETag never matches, so it is refused too: the ETags of lists are weak, and a proxy that compresses responses weakens those of items.',
    { examples: ['"1-j.Zk4pQ"', '*'] },
  ),
  'If-None-Match': field(
    'If one of these ETags is current, a read gives 304 and a change is refused with 412. On POST, the ETag is that of the list.',
    { examples: ['"1-j.Zk4pQ"', 'W/"17-j.Zk4pQ"', '*'] },
  ),
  'If-Modified-Since': field(
    'Gives 304 unless the item changed after this time. If-None-Match takes precedence.',
    date,
  ),
  'If-Unmodified-Since': field(
    'Refuses with 412 if the item changed after this time. If-Match takes precedence.',
    date,
  ),
  'Last-Event-ID': field(
    'The cursor of the last event that arrived. A stream continues after it and ignores `after`.',
    { maxLength: 1024 },
  ),
  'Idempotency-Key': field(
    'Identifies this request. The first response is stored for 24 hours and returned to every repetition, which changes nothing. Refusals are not stored.',
    {
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e](?:[\\x20-\\x7e]{0,253}[\\x21-\\x7e])?$',
      examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
    },
  ),
  Prefer: field(
    '`return=minimal` asks for a response without a body; `handling=strict` asks the service to refuse unknown query parameters (RFC 7240).',
    { examples: ['return=minimal'] },
  ),
  'Content-Encoding': field('The content coding of the body.', { enum: ['gzip', 'identity'] }),
  'X-Track': field(
    "The caller's own identifier for this request, copied into the response and every log line: 1 to 64 letters, digits, `.`, `_` and `-`. Any other value is ignored, and the service generates an identifier.",
    { maxLength: 8192, examples: ['checkout-42'] },
  ),
  traceparent: field('W3C Trace Context. Its trace id becomes X-Track if none was sent.', {
    examples: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  }),
  'Accept-Language': field(
    `The language of messages: ${locales.map((locale) => `\`${locale}\``).join(' or ')}.`,
    { examples: [locales.at(-1)] },
  ),
}

export const headerParameters: Readonly<Record<string, Node>> = Object.fromEntries(
  Object.entries(fields).map(([name, rest]) => [name, { name, in: 'header', ...rest }]),
)

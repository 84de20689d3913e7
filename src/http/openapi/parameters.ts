import { locales } from '#core/locale.ts'
import { pagingParameters } from '#http/lists.ts'
import type { Filter } from '#http/query.ts'
import { showingParameters } from '#http/representation/showing.ts'
import type { Route } from '#http/routes.ts'
import { type Node, reference } from './node.ts'

/** All that a request of this route may say outside its body. */
export const parametersOf = (route: Route): readonly Node[] => [
  ...pathParameters(route.path),
  ...queryParameters(queryOf(route)),
  ...headersOf(route).map((name) => reference('parameters', name)),
]

const pathParameters = (path: string): readonly Node[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: `The identifier that the service gave it; an unknown or malformed one is not found.${mayBeMe(path) ? ' `me` is the member who asks; whoever is no member does not find it.' : ''}`,
    schema: { type: 'string', maxLength: 200, pattern: '^[^/?#]+$' },
  }))

/** Whether a path names a member, which may be the one who asks. */
export const mayBeMe = (path: string) => path.includes(':memberId')

const queryOf = (route: Route): Filter => ({
  ...route.list?.filter,
  ...showingParameters(route),
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

const headersOf = ({ method, path, body, list }: Route): readonly string[] => {
  const common = ['X-Track', 'traceparent', 'Accept-Language']
  const isItem = path.includes(':')
  if (list) return ['If-None-Match', 'If-Match', ...common]
  if (method === 'GET')
    return ['If-None-Match', 'If-Match', 'If-Modified-Since', 'If-Unmodified-Since', ...common]
  const conditions = ['If-Match', 'If-None-Match', ...(isItem ? ['If-Unmodified-Since'] : [])]
  const keyed = method === 'POST' || method === 'PATCH' ? ['Idempotency-Key'] : []
  const preferred = method === 'DELETE' ? [] : ['Prefer']
  const coded = body ? ['Content-Encoding'] : []
  return [...conditions, ...keyed, ...preferred, ...coded, ...common]
}

const field = (name: string, description: string, schema: Node): Node => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', maxLength: 8192, pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$', ...schema },
})

const date = { examples: ['Sat, 21 Nov 2026 06:45:00 GMT'] }

export const headerParameters: Readonly<Record<string, Node>> = {
  'If-Match': field(
    'If-Match',
    'Do it only to the version that was read: one ETag or several, or `*`. Another version meanwhile is refused with 412, and so is a weak ETag, which matches none: those of lists are weak, and a proxy that compresses makes those of items weak.',
    { examples: ['"1-j.Zk4pQ"', '*'] },
  ),
  'If-None-Match': field(
    'If-None-Match',
    'Answer 304 when this is still what the caller has (a read), or refuse with 412 (a change). On POST it is the list that is meant.',
    { examples: ['"1-j.Zk4pQ"', 'W/"17-j.Zk4pQ"', '*'] },
  ),
  'If-Modified-Since': field(
    'If-Modified-Since',
    'Answer 304 unless it changed after this time. If-None-Match goes before it.',
    date,
  ),
  'If-Unmodified-Since': field(
    'If-Unmodified-Since',
    'Refuse with 412 if it changed after this time. If-Match goes before it.',
    date,
  ),
  'Idempotency-Key': field(
    'Idempotency-Key',
    'Names this one request. The first answer is kept for 24 hours and given again to every repetition, which does nothing. A refusal is not kept.',
    {
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e](?:[\\x20-\\x7e]{0,253}[\\x21-\\x7e])?$',
      examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
    },
  ),
  Prefer: field(
    'Prefer',
    '`return=minimal` asks for no body; `handling=strict` asks that unknown query parameters are refused (RFC 7240).',
    { examples: ['return=minimal'] },
  ),
  'Content-Encoding': field('Content-Encoding', 'How the body is coded.', { enum: ['gzip', 'identity'] }),
  'X-Track': field(
    'X-Track',
    "The caller's own name for this request, taken over into the answer and every log line: 1 to 64 letters, digits, `.`, `_` and `-`. Anything else is not taken, and the service names the request.",
    {
      maxLength: 8192,
      examples: ['checkout-42'],
    },
  ),
  traceparent: field('traceparent', 'W3C Trace Context: its trace id becomes X-Track if there is none.', {
    examples: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  }),
  'Accept-Language': field(
    'Accept-Language',
    `The language of messages: ${locales.map((locale) => `\`${locale}\``).join(' or ')}.`,
    { examples: [locales.at(-1)] },
  ),
}

import { locales } from '#core/locale.ts'
import { type Node, reference } from './node.ts'

const field = (description: string, schema: Node, example?: string): Node => ({
  description,
  schema: { type: 'string', maxLength: 8192, pattern: '^[\\x20-\\x7e]*$', ...schema },
  ...(example === undefined ? {} : { example }),
})

const required = (description: string, schema: Node, example?: string): Node => ({
  ...field(description, schema, example),
  required: true,
})

const httpDate = '^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$'
const seconds = { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 }
const whole = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

/** The header fields of answers. */
export const responseHeaders: Readonly<Record<string, Node>> = {
  'X-Track': required('The name of this request: quote it when you ask for help.', {
    pattern: '^[A-Za-z0-9._-]{1,64}$',
    maxLength: 64,
  }),
  'X-Content-Type-Options': required('The type is as stated.', { enum: ['nosniff'] }),
  'Referrer-Policy': required('Addresses are not passed on.', { enum: ['no-referrer'] }),
  'Content-Security-Policy': required('An answer of the API is no page.', {}),
  ETag: required(
    'Names this representation of this version: strong on items, weak on lists.',
    { pattern: '^(W/)?"[^"]+"$' },
    '"1-j.Zk4pQ"',
  ),
  ETagOfList: field('Names this state of the list; a list whose items are shown in part has none.', {
    pattern: '^(W/)?"[^"]+"$',
  }),
  'Cache-Control': required('May be kept by the caller alone, and asked again before each use.', {
    enum: ['private, no-cache'],
  }),
  Vary: required('What the representation depends on.', {}, 'Accept, Accept-Language, Accept-Encoding'),
  VaryOfOrigin: field('That it differs for pages of other origins, where origins are set.', {
    enum: ['Origin'],
  }),
  'Last-Modified': field('When it changed last.', { pattern: httpDate }),
  Location: required('The address of what was created.', { format: 'uri' }),
  'Content-Location': field('The address of the member that was asked for as `me`.', { format: 'uri' }),
  Link: field(
    'The same links as in the page (RFC 8288), and the version that follows where this one is on its way out.',
    { pattern: '^<[^>]*>; ?rel="[^"]+"' },
  ),
  'X-Total-Count': { description: 'How many items there are on all pages.', schema: whole, example: 42 },
  'Preference-Applied': field('The preference that was followed (RFC 7240).', { enum: ['return=minimal'] }),
  'Idempotent-Replayed': field('This is the kept answer of the first request.', { enum: ['true'] }),
  'Content-Language': required('The language of the messages.', { enum: locales }),
  'Content-Encoding': field('How the body is coded.', { enum: ['br', 'gzip'] }),
  'WWW-Authenticate': field(
    'How to authenticate, or the scope that a token lacks.',
    {},
    'Basic realm="rollcall", charset="UTF-8"',
  ),
  Allow: field('The methods of this path, where another one was used.', {}, 'GET, HEAD, POST, OPTIONS'),
  'Accept-Patch': field('The types of patches that are taken.', {}, 'application/merge-patch+json'),
  Accept: field('The types of bodies that are taken.', {}, 'application/json, application/xml'),
  'Accept-Encoding': field('The codings of bodies that are taken.', {}, 'gzip, identity'),
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: seconds, example: 1 },
  'Access-Control-Allow-Origin': field('The origin whose browsers may read it, where origins are set.', {}),
  'Access-Control-Expose-Headers': field('What those browsers show their pages of the head.', {}),
  Deprecation: field(
    'Since when this version is deprecated, where it is (RFC 9745).',
    { pattern: '^@-?\\d+$' },
    '@1767225600',
  ),
  Sunset: field(
    'When this version goes, where that is known (RFC 8594).',
    { pattern: httpDate },
    'Fri, 01 Jan 2027 00:00:00 GMT',
  ),
  RateLimit: field(
    'What is left of the limit, where RATE_LIMIT sets one; of that of failed logins where it refuses.',
    {},
    '"default";r=599;t=60',
  ),
  'RateLimit-Policy': field(
    'The limit, where RATE_LIMIT sets one; that of failed logins where it refuses.',
    {},
    '"default";q=600;w=60',
  ),
}

const everywhere = [
  'X-Track',
  'X-Content-Type-Options',
  'Referrer-Policy',
  'Content-Security-Policy',
  'RateLimit',
  'RateLimit-Policy',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Deprecation',
  'Sunset',
  'Link',
]

/** These, and those that every answer may have. */
export const headerReferences = (fields: readonly string[]): Node =>
  Object.fromEntries([...fields, ...everywhere].map((name) => [name, reference('headers', name)]))

import { locales } from '#core/locale.ts'
import { fieldSchema, type Node, reference } from './node.ts'

const field = (description: string, schema: Node, example?: string): Node => ({
  description,
  schema: fieldSchema('^[\\x20-\\x7e]*$', schema),
  ...(example === undefined ? {} : { example }),
})

const required = (description: string, schema: Node, example?: string): Node => ({
  ...field(description, schema, example),
  required: true,
})

const httpDate = '^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$'

/** The longest window of a rate limit. */
const maxSeconds = 999_999

/** A URL may contain the query of the request. */
const maxUrlLength = 16_384

const seconds = { type: 'integer', format: 'int32', minimum: 0, maximum: maxSeconds }
const whole = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

export const responseHeaders: Readonly<Record<string, Node>> = {
  'X-Track': required('Identifies this request. Quote it when you ask for help.', {
    pattern: '^[A-Za-z0-9._-]{1,64}$',
    maxLength: 64,
  }),
  'X-Content-Type-Options': required('The media type is as stated, and must not be guessed.', {
    enum: ['nosniff'],
  }),
  'Referrer-Policy': required('Browsers must not send a referrer.', { enum: ['no-referrer'] }),
  'Content-Security-Policy': required('An API response is not a page.', {}),
  ETag: required(
    'Identifies this representation of this version: strong for items, weak for lists.',
    { pattern: '^(W/)?"[^"]+"$' },
    '"1-j.Zk4pQ"',
  ),
  ETagOfList: field('Identifies this state of the list. Absent if the caller sees only part of each item.', {
    pattern: '^(W/)?"[^"]+"$',
  }),
  'Cache-Control': required(
    'Only the caller may cache the response, and must revalidate it before each use.',
    { enum: ['private, no-cache'] },
  ),
  'Cache-ControlOfSecret': required('No cache may store the response.', { enum: ['no-store'] }),
  Vary: required(
    'The request header fields that the response depends on.',
    {},
    'Accept, Accept-Language, Accept-Encoding, Prefer',
  ),
  VaryOfOrigin: field('Present if allowed origins are configured: the response differs by origin.', {
    enum: ['Origin'],
  }),
  'Change-Cursor': field(
    'A position in the log of changes: the end of the log when the list was read, or the position right after the change. Send it as `after` to `/changes` to read what follows.',
    { pattern: '^[A-Za-z0-9_-]+$', maxLength: 1024 },
  ),
  'Last-Modified': field('When the item last changed.', { pattern: httpDate }),
  Location: required('The address of the created item.', { format: 'uri' }),
  'Content-Location': field('The address of the item, if it was requested by an alias.', {
    format: 'uri',
    maxLength: maxUrlLength,
  }),
  Link: field(
    'The links of the page (RFC 8288), and the address of the next API version if one is configured.',
    { pattern: '^<[^>]*>; ?rel="[^"]+"', maxLength: 4 * maxUrlLength },
  ),
  'X-Total-Count': { description: 'The number of items on all pages.', schema: whole, example: 42 },
  'Preference-Applied': field('The preference that was applied (RFC 7240).', { enum: ['return=minimal'] }),
  'Idempotent-Replayed': field('This is the stored response to the first request.', { enum: ['true'] }),
  'Content-Language': required('The language of the messages.', { enum: locales }),
  'Content-Encoding': field('The content coding of the body.', { enum: ['br', 'gzip'] }),
  'WWW-Authenticate': field(
    'How to authenticate, or the scope that the token lacks.',
    {},
    'Basic realm="rollcall", charset="UTF-8"',
  ),
  Allow: field('The methods that this path allows, if another one was used.', {}, 'GET, HEAD, POST, OPTIONS'),
  'Accept-Patch': field('The accepted media types of patches.', {}, 'application/merge-patch+json'),
  Accept: field('The accepted media types of bodies.', {}, 'application/json, application/xml'),
  'X-Accel-Buffering': field('Tells proxies to pass a stream on at once.', { enum: ['no'] }),
  'Accept-Encoding': field('The accepted content codings of bodies.', {}, 'gzip, identity'),
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: seconds, example: 1 },
  'Access-Control-Allow-Origin': field(
    'The origin whose pages may read the response, if allowed origins are configured.',
    {},
  ),
  'Access-Control-Expose-Headers': field('The header fields that pages of that origin may read.', {}),
  Deprecation: field(
    'The time from which this version is deprecated, if it is (RFC 9745).',
    { pattern: '^@-?\\d+$' },
    '@1767225600',
  ),
  Sunset: field(
    'When this version will be removed, if known (RFC 8594).',
    { pattern: httpDate },
    'Fri, 01 Jan 2027 00:00:00 GMT',
  ),
  RateLimit: field(
    'What remains of the limit, if RATE_LIMIT sets one. If the limit on failed logins caused a refusal, what remains of that limit.',
    {},
    '"default";r=599;t=60',
  ),
  'RateLimit-Policy': field(
    'The limit, if RATE_LIMIT sets one. If the limit on failed logins caused a refusal, that limit.',
    {},
    '"default";q=600;w=60',
  ),
}

const fieldsOfAllResponses =
  `X-Track X-Content-Type-Options Referrer-Policy Content-Security-Policy RateLimit RateLimit-Policy
  Access-Control-Allow-Origin Access-Control-Expose-Headers Deprecation Sunset Link`.split(/\s+/)

export const headerReferences = (fields: readonly string[]): Node =>
  Object.fromEntries([...fields, ...fieldsOfAllResponses].map((name) => [name, reference('headers', name)]))

import type { Answer } from './answer.ts'
import { httpDate } from './http-date.ts'
import { keepAliveTimeoutMs } from './limits.ts'
import { STATUS_CODES, validateHeaderValue } from './node-http.ts'

/** Alternating names and values, as node:http takes them fastest. A list over several lines has one pair per line. */
export type HeaderList = string[]

/** What an answer says of itself, in addition to what its maker says. */
interface Envelope {
  readonly track: string
  readonly extraHeaders: readonly string[]
  /** Undefined for an answer whose length is not known, or that has none. */
  readonly sizeBytes: number | undefined
  /** Whether the connection closes after it. */
  readonly isLast: boolean
}

/** All fields of an answer. The date is ours: node:http's may be a second old, before the change that the answer reports. */
export const fieldsOf = (
  answer: Answer,
  { track, extraHeaders, sizeBytes, isLast }: Envelope,
): HeaderList => [
  ...standardFields,
  answer.contentSecurityPolicy ?? loadsNothing,
  'X-Track',
  track,
  ...(sizeBytes === undefined ? none : ['Content-Length', String(sizeBytes)]),
  ...extraHeaders,
  ...answer.headers,
  'Date',
  httpDate(Date.now()),
  ...(isLast ? closing : keptOpen),
]

/** What every answer tells a browser; a page sets its own policy for what it may load. */
const standardFields = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'no-referrer'],
  'Content-Security-Policy',
]

const loadsNothing = "default-src 'none'; frame-ancestors 'none'"

const none: readonly string[] = []

const closing: readonly string[] = ['Connection', 'close']

/** Tells a pool of connections when an idle one ends, so that it sends nothing at that moment. */
const keptOpen: readonly string[] = ['Keep-Alive', `timeout=${keepAliveTimeoutMs / 1000}`]

/** The head of an answer that is written without node:http. */
export const headText = (status: number, fields: readonly string[]): string => {
  const lines = pairs(fields).map(([name, value]) => {
    validateHeaderValue(name, value)
    return `${name}: ${value}\r\n`
  })
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`
}

/** Fields as pairs of name and value. */
export const pairs = (fields: readonly string[]): [string, string][] =>
  fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : []))

/** With `handling=strict` an answer may become a refusal (RFC 7240, 2). */
export const vary = 'Accept, Accept-Language, Accept-Encoding, Prefer'

export const cacheControl = 'private, no-cache'

/** Every method that any route has. */
export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

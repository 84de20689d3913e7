import type { Answer } from './answer.ts'
import { httpDate } from './http-date.ts'
import { keepAliveTimeoutMs } from './limits.ts'
import { STATUS_CODES, validateHeaderValue } from './node-http.ts'

/** Alternating names and values, because node:http takes them fastest. */
export type HeaderList = string[]

export const fieldList = (fields: Readonly<Record<string, string>>): HeaderList =>
  Object.entries(fields).flat()

/** The facts that `fieldsOf` needs in addition to the answer itself. */
interface Envelope {
  readonly track: string
  readonly extraHeaders: readonly string[]
  /** Undefined if the length is unknown, or the status allows no body. */
  readonly sizeBytes: number | undefined
  /** Whether the connection closes after this answer. */
  readonly isLast: boolean
}

/** All fields of an answer. We set Date, because node:http's may be a second old: before the change that the answer reports. */
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

/** Instructions to browsers on every answer. The policy follows, because pages set their own. */
const standardFields = [
  ...fieldList({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' }),
  'Content-Security-Policy',
]

const loadsNothing = "default-src 'none'; frame-ancestors 'none'"

const none: readonly string[] = []

const closing: readonly string[] = ['Connection', 'close']

/** Tells clients that pool connections when an idle one ends, so that they send nothing at that moment. */
const keptOpen: readonly string[] = ['Keep-Alive', `timeout=${keepAliveTimeoutMs / 1000}`]

/** The head of an answer that is written without node:http. */
export const headText = (status: number, fields: readonly string[]): string => {
  const lines = pairs(fields).map(([name, value]) => {
    validateHeaderValue(name, value)
    return `${name}: ${value}\r\n`
  })
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`
}

export const pairs = (fields: readonly string[]): [string, string][] =>
  fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : []))

/** Prefer is listed because `handling=strict` may turn an answer into a refusal (RFC 7240, 2). */
export const vary = 'Accept, Accept-Language, Accept-Encoding, Prefer'

export const cacheControl = 'private, no-cache'

export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

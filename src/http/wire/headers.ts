import type { Answer } from './answer.ts'
import { httpDate } from './http-date.ts'
import { keepAliveTimeoutMs } from './limits.ts'
import { STATUS_CODES, validateHeaderValue } from './node-http.ts'

/** Alternating names and values, the form that node:http writes fastest. */
export type HeaderList = string[]

export const fieldList = (fields: Readonly<Record<string, string>>): HeaderList =>
  Object.entries(fields).flat()

interface SendOptions {
  readonly track: string
  readonly extraHeaders: readonly string[]
  /** Undefined if the length is unknown, or the status allows no body. */
  readonly sizeBytes: number | undefined
  /** True if the connection closes after this answer. */
  readonly closesConnection: boolean
}

/** All fields of an answer. Date is set here: node:http's may be a second old, older than the change that the answer reports. */
export const fieldsOf = (
  answer: Answer,
  { track, extraHeaders, sizeBytes, closesConnection }: SendOptions,
): HeaderList => [
  ...standardFields,
  answer.contentSecurityPolicy ?? loadNothingPolicy,
  'X-Track',
  track,
  ...(sizeBytes === undefined ? noFields : ['Content-Length', String(sizeBytes)]),
  ...extraHeaders,
  ...answer.headers,
  'Date',
  httpDate(Date.now()),
  ...(closesConnection ? closeField : keepAliveField),
]

/** Instructions to browsers on every answer. `fieldsOf` appends the value of the policy, which is another for each page. */
const standardFields = [
  ...fieldList({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' }),
  'Content-Security-Policy',
]

const loadNothingPolicy = "default-src 'none'; frame-ancestors 'none'"

const noFields: readonly string[] = []

const closeField: readonly string[] = ['Connection', 'close']

/** Tells clients how long an idle connection stays open, so that they send no request while it closes. */
const keepAliveField: readonly string[] = ['Keep-Alive', `timeout=${keepAliveTimeoutMs / 1000}`]

/** The head of an answer that is written without node:http. */
export const headText = (status: number, fields: readonly string[]): string => {
  const lines = fieldPairs(fields).map(([name, value]) => {
    validateHeaderValue(name, value)
    return `${name}: ${value}\r\n`
  })
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`
}

export const fieldPairs = (fields: readonly string[]): [string, string][] =>
  fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : []))

/** Prefer is listed because `handling=strict` may turn an answer into a refusal (RFC 7240, 2). */
export const varyValue = 'Accept, Accept-Language, Accept-Encoding, Prefer'

export const cacheControlValue = 'private, no-cache'

export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

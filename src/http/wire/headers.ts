import { keepAliveTimeoutMs } from './limits.ts'

/** Alternating names and values, as node:http takes them fastest. A list over several lines has one pair per line. */
export type HeaderList = string[]

/** What every answer tells a browser; a page sets its own policy for what it may load. */
const headersWith = (contentSecurityPolicy: string): readonly string[] => [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Content-Security-Policy', contentSecurityPolicy],
]

/** On every answer of the API, including those that no route made. */
export const standardHeaders = headersWith("default-src 'none'; frame-ancestors 'none'")

export const headersOf = ({ contentSecurityPolicy }: { readonly contentSecurityPolicy?: string }) =>
  contentSecurityPolicy === undefined ? standardHeaders : headersWith(contentSecurityPolicy)

/** Tells a pool of connections when an idle one ends, so that it sends nothing at that moment. */
export const keptOpen: readonly string[] = ['Keep-Alive', `timeout=${keepAliveTimeoutMs / 1000}`]

/** With `handling=strict` an answer may become a refusal (RFC 7240, 2). */
export const vary = 'Accept, Accept-Language, Accept-Encoding, Prefer'

export const cacheControl = 'private, no-cache'

/** Every method that any route has. */
export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** Fields as pairs of name and value. */
export const pairs = (fields: readonly string[]): [string, string][] =>
  fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : []))

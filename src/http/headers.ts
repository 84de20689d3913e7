/** Names and values in turn, as node:http takes them fastest. Where they stand on several lines, each has a pair. */
export type HeaderList = string[]

/** What every answer says to a browser; a page says for itself what it may load. */
const headersWith = (contentSecurityPolicy: string): readonly string[] => [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Content-Security-Policy', contentSecurityPolicy],
]

/** On every answer of the API, also on those that no route made. */
export const standardHeaders = headersWith("default-src 'none'; frame-ancestors 'none'")

export const headersOf = ({ contentSecurityPolicy }: { readonly contentSecurityPolicy?: string }) =>
  contentSecurityPolicy === undefined ? standardHeaders : headersWith(contentSecurityPolicy)

export const vary = 'Accept, Accept-Language, Accept-Encoding'

export const cacheControl = 'private, no-cache'

/** Every method that some route has. */
export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** A list of fields, name and value together. */
export const pairs = (fields: readonly string[]): [string, string][] =>
  fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : []))

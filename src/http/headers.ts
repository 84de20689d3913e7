/** Names and values in turn, as node:http takes them fastest. */
export type HeaderList = string[]

/** On every answer of the API, also on those that no route made. */
export const standardHeaders: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
]

export const vary = 'Accept, Accept-Language, Accept-Encoding'

export const cacheControl = 'private, no-cache'

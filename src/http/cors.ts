import type { Answer } from './answer.ts'
import type { Responder } from './api.ts'
import { type Exchange, header } from './exchange.ts'
import { allMethods, type HeaderList } from './headers.ts'

/** What browsers of other origins are told. */
export interface Cors {
  /** On every answer, refusals too: a browser shows its page no refusal that it may not read. */
  readonly fields: (origin: string | undefined) => HeaderList
  /** What a preflight is answered; nothing when the request is none, or of an origin that is not let in. */
  readonly preflight: (exchange: Exchange) => Answer | undefined
}

const requestHeaders = [
  'Authorization',
  'Content-Encoding',
  'Content-Type',
  'Accept',
  'Accept-Language',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'If-Unmodified-Since',
  'Idempotency-Key',
  'Prefer',
  'X-Track',
  'traceparent',
  'tracestate',
].join(', ')

const exposed = [
  'Accept',
  'Accept-Encoding',
  'Accept-Patch',
  'Allow',
  'Content-Language',
  'Content-Location',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Total-Count',
  'X-Track',
].join(', ')

const preflightAgeSeconds = '600'

/** No origin is told that it may send cookies: there are none. */
export const cors = (origins: readonly string[]): Cors | undefined => {
  if (origins.length === 0) return undefined
  const everybody = origins.includes('*')
  const known = new Set(origins)
  const isLetIn = (origin: string | undefined): origin is string =>
    origin !== undefined && (everybody || known.has(origin))
  const vary = everybody ? [] : ['Vary', 'Origin']
  return {
    fields(origin) {
      if (!isLetIn(origin)) return vary
      return [
        ...vary,
        ...['Access-Control-Allow-Origin', everybody ? '*' : origin],
        ...['Access-Control-Expose-Headers', exposed],
      ]
    },
    preflight: (exchange) =>
      isPreflight(exchange) && isLetIn(header(exchange, 'origin')) ? mayAsk : undefined,
  }
}

const isPreflight = (exchange: Exchange) =>
  exchange.method === 'OPTIONS' && header(exchange, 'access-control-request-method') !== undefined

/** The same everywhere: what a path has not, the request itself is told, in words that its page may read. */
const mayAsk: Answer = {
  status: 204,
  headers: [
    ...['Vary', 'Access-Control-Request-Method, Access-Control-Request-Headers'],
    ...['Access-Control-Allow-Methods', allMethods],
    ...['Access-Control-Allow-Headers', requestHeaders],
    ...['Access-Control-Max-Age', preflightAgeSeconds],
  ],
}

/** Lets browsers of other origins ask, and read whatever `respond` answers; what is refused says so by `refusal`. */
export const crossOrigin = (cors: Cors | undefined, respond: Responder): Responder => {
  if (!cors) return respond
  return async (exchange) => {
    const answer = cors.preflight(exchange) ?? (await respond(exchange))
    exchange.extraHeaders = [...exchange.extraHeaders, ...cors.fields(header(exchange, 'origin'))]
    return answer
  }
}

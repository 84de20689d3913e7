import type { Responder } from './api.ts'
import { type Exchange, header } from './exchange.ts'
import type { HeaderList } from './headers.ts'

/** What browsers of other origins are told. */
export interface Cors {
  /** On every answer, refusals too: a browser shows its page no refusal that it may not read. */
  readonly fields: (exchange: Exchange) => HeaderList
  /** What a preflight asks about; nothing when the request is none, or of an origin that is not let in. */
  readonly preflight: (exchange: Exchange, allow: string) => HeaderList
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
].join(', ')

const exposed = [
  'Content-Language',
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
  const allowed = (exchange: Exchange) => {
    const origin = header(exchange, 'origin')
    if (origin === undefined || !(everybody || known.has(origin))) return undefined
    return everybody ? '*' : origin
  }
  const vary = everybody ? [] : ['Vary', 'Origin']
  return {
    fields(exchange) {
      const origin = allowed(exchange)
      if (origin === undefined) return vary
      return [...vary, 'Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposed]
    },
    preflight(exchange, allow) {
      const isPreflight = header(exchange, 'access-control-request-method') !== undefined
      if (!isPreflight || allowed(exchange) === undefined) return []
      return [
        ...['Vary', 'Access-Control-Request-Method, Access-Control-Request-Headers'],
        ...['Access-Control-Allow-Methods', allow],
        ...['Access-Control-Allow-Headers', requestHeaders],
        ...['Access-Control-Max-Age', preflightAgeSeconds],
      ]
    },
  }
}

/** Lets browsers of other origins read whatever `respond` answers or refuses. */
export const crossOrigin =
  (cors: Cors | undefined, respond: Responder): Responder =>
  (exchange) => {
    if (cors) exchange.extraHeaders = [...exchange.extraHeaders, ...cors.fields(exchange)]
    return respond(exchange)
  }

import type { Answer, Responder } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'
import { allMethods, fieldList, type HeaderList } from '#http/wire/headers.ts'

export type Cors = NonNullable<ReturnType<typeof cors>>

const requestHeaders = [
  'Authorization, Content-Encoding, Content-Type, Accept, Accept-Language, If-Match',
  'If-None-Match, If-Modified-Since, If-Unmodified-Since, Idempotency-Key',
  'Last-Event-ID, Prefer, X-Track, traceparent, tracestate',
].join(', ')

const exposedHeaders = [
  'Accept, Accept-Encoding, Accept-Patch, Allow, Change-Cursor, Content-Language',
  'Content-Location, Deprecation, ETag, Idempotent-Replayed, Link, Location',
  'Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset',
  'WWW-Authenticate, X-Total-Count, X-Track',
].join(', ')

const preflightAgeSeconds = '600'

/** The header fields for browsers on other origins. Access-Control-Allow-Credentials is absent, because there are no cookies. */
export const cors = (origins: readonly string[]) => {
  if (origins.length === 0) return undefined
  const isOpenToAll = origins.includes('*')
  const allowedOrigins = new Set(origins)
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && (isOpenToAll || allowedOrigins.has(origin))
  const varyByOrigin = isOpenToAll ? [] : ['Vary', 'Origin']
  return {
    isAllowed,
    /** For every answer, refusals included: without these fields a browser hides the refusal from its page. */
    fields(origin: string | undefined): HeaderList {
      if (!isAllowed(origin)) return varyByOrigin
      const allowed = isOpenToAll ? '*' : origin
      return [
        ...varyByOrigin,
        'Access-Control-Allow-Origin',
        allowed,
        'Access-Control-Expose-Headers',
        exposedHeaders,
      ]
    },
    /** The answer to a preflight. Undefined if the request is no preflight, or its origin is not allowed. */
    preflight: (exchange: Exchange) =>
      isPreflight(exchange) && isAllowed(header(exchange, 'origin')) ? preflightAnswer : undefined,
  }
}

const isPreflight = (exchange: Exchange) =>
  exchange.method === 'OPTIONS' && header(exchange, 'access-control-request-method') !== undefined

/** The same for every path. If a path lacks the method, the request that follows is refused, so that the page can read why. */
const preflightAnswer: Answer = {
  status: 204,
  headers: fieldList({
    Vary: 'Access-Control-Request-Method, Access-Control-Request-Headers',
    'Access-Control-Allow-Methods': allMethods,
    'Access-Control-Allow-Headers': requestHeaders,
    'Access-Control-Max-Age': preflightAgeSeconds,
  }),
}

/** Lets browsers on other origins send requests and read the answers. `refusal` sets the same fields on refusals. */
export const crossOrigin = (cors: Cors | undefined, respond: Responder): Responder => {
  if (!cors) return respond
  return async (exchange) => {
    const answer = cors.preflight(exchange) ?? (await respond(exchange))
    exchange.extraHeaders = [...exchange.extraHeaders, ...cors.fields(header(exchange, 'origin'))]
    return answer
  }
}

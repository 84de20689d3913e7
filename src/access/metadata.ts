import type { Caller } from '#http/api/guard.ts'
import { answerUnlessRead } from '#http/api/read-only.ts'
import type { Responder } from '#http/wire/answer.ts'
import type { Origin } from '#http/wire/origin.ts'

const wellKnown = '/.well-known/oauth-protected-resource'

/** The address of the metadata of the API that the caller uses. */
export const metadataUrl = ({ incoming, authority, origin, prefix }: Caller) =>
  `${origin.urlFor(incoming, authority)}${wellKnown}${prefix}`

interface MetadataParts {
  readonly issuer: string
  readonly apiPrefixes: readonly string[]
  /** Every scope that some operation accepts. */
  readonly scopes: readonly string[]
  readonly origin: Origin
}

/** Serves the metadata of the service and of each API version, which name the accepted issuer (RFC 9728). `otherwise` answers all other requests. */
export const withMetadata = (
  { issuer, apiPrefixes, scopes, origin }: MetadataParts,
  otherwise: Responder,
): Responder => {
  const prefixes = new Map(['', ...apiPrefixes].map((prefix) => [wellKnown + prefix, prefix]))
  return async (exchange) => {
    const { incoming, target } = exchange
    const prefix = prefixes.get(target.path)
    if (prefix === undefined) return otherwise(exchange)
    exchange.routePattern = wellKnown
    const otherAnswer = answerUnlessRead(exchange)
    if (otherAnswer) return otherAnswer
    const document = {
      resource: origin.urlFor(incoming, target.authority) + prefix,
      resource_name: 'Rollcall',
      authorization_servers: [issuer],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
    }
    // A response that contains the Host of the caller must not be cached for other callers.
    const caching = origin.isFixed ? 'public, max-age=300' : 'no-store'
    const headers = ['Content-Type', 'application/json', 'Cache-Control', caching]
    return { status: 200, headers, body: JSON.stringify(document) }
  }
}

import { Problem } from '#core/problem.ts'
import type { Responder } from '#http/api.ts'
import type { Origin } from '#http/origin.ts'
import { scopes } from './policy.ts'

const wellKnown = '/.well-known/oauth-protected-resource'
const allow = 'GET, HEAD, OPTIONS'

export const metadataUrl = (base: string, prefix: string) => `${base}${wellKnown}${prefix}`

export interface MetadataParts {
  readonly issuer: string
  readonly prefixes: readonly string[]
  /** As the settings have it now. */
  readonly origin: () => Origin
}

/** Tells clients whose tokens are accepted (RFC 9728), for the service and for each API; all else is `otherwise`. */
export const withMetadata = (
  { issuer, prefixes, origin }: MetadataParts,
  otherwise: Responder,
): Responder => {
  const resources = new Map(['', ...prefixes].map((prefix) => [wellKnown + prefix, prefix]))
  return async (exchange) => {
    const { incoming, target, method } = exchange
    const prefix = resources.get(target.path)
    if (prefix === undefined) return otherwise(exchange)
    exchange.place = wellKnown
    if (method === 'OPTIONS') return { status: 204, headers: ['Allow', allow] }
    if (method !== 'GET' && method !== 'HEAD')
      throw new Problem('methodNotAllowed', { headers: { Allow: allow } })
    const told = origin()
    const document = {
      resource: told.of(incoming, target.authority) + prefix,
      resource_name: 'Rollcall',
      authorization_servers: [issuer],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
    }
    // What a caller's own Host made is for nobody else.
    const caching = told.isFixed ? 'public, max-age=300' : 'no-store'
    const headers = ['Content-Type', 'application/json', 'Cache-Control', caching]
    return { status: 200, headers, body: JSON.stringify(document) }
  }
}

export interface Provider {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  /** The resource for which the tokens are valid (RFC 8707). */
  readonly resource: string
  readonly scopes: readonly string[]
}

/**
 * Asks the service for its issuer (RFC 9728), and the issuer for its endpoints (RFC 8414). Asks the service only at the origin
 * of this page. Trusts the `resource` that the service names even if its origin is another one, as with PUBLIC_URL.
 */
export const discover = async (metadataUrl: string | undefined): Promise<Provider> => {
  const resource = await fetchFirst<ResourceMetadata>([
    ...(metadataUrl && new URL(metadataUrl).origin === location.origin ? [metadataUrl] : []),
    `${wellKnown}/oauth-protected-resource/api/v1`,
    `${wellKnown}/oauth-protected-resource`,
  ])
  const issuer = resource.authorization_servers?.[0]
  if (!issuer) throw new Error('no authorization server is named')
  // Metadata that describes another issuer must not be used (RFC 8414, 3.3).
  const isOfIssuer = (server: ServerMetadata) => server.issuer === issuer
  const server = await fetchFirst(serverAddresses(new URL(issuer)), isOfIssuer)
  return {
    issuer,
    authorizationEndpoint: server.authorization_endpoint,
    tokenEndpoint: server.token_endpoint,
    resource: resource.resource,
    scopes: resource.scopes_supported ?? [],
  }
}

const wellKnown = '/.well-known'

interface ResourceMetadata {
  readonly resource: string
  readonly authorization_servers?: readonly string[]
  readonly scopes_supported?: readonly string[]
}

interface ServerMetadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
}

/** The URLs at which RFC 8414 and OpenID Connect place the metadata of an issuer. */
const serverAddresses = ({ origin, pathname }: URL) => {
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}${wellKnown}/oauth-authorization-server${path}`,
    `${origin}${path}${wellKnown}/openid-configuration`,
  ]
}

const fetchFirst = async <T>(addresses: readonly string[], isRight: (found: T) => boolean = () => true) => {
  for (const address of addresses) {
    const response = await fetch(address, { credentials: 'omit' }).catch(() => undefined)
    // Some servers answer unknown paths with 200 and an HTML page.
    const found = response?.ok ? ((await response.json().catch(() => undefined)) as T | undefined) : undefined
    if (found && isRight(found)) return found
  }
  throw new Error(`nothing found at ${addresses.join(', ')}`)
}

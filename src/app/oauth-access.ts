import { bearerAccess } from '#access/bearer.ts'
import { issuerKeys } from '#access/issuer-keys.ts'
import { logins } from '#access/logins.ts'
import { withMetadata } from '#access/metadata.ts'
import { scopesOf } from '#access/policy.ts'
import { originReader, trustsProxy } from '#http/wire/origin.ts'
import { tableOf } from '#resources/table.ts'
import type { Config } from '#src/config.ts'
import type { Access, AccessParts } from './access.ts'

/** Anybody with a token from the issuer may enter. */
export const oauthAccessOf = (config: Config, { clock, warn, prefixes, rooms }: AccessParts): Access => {
  const { OAUTH_ISSUER: issuer = '', OAUTH_AUDIENCE: audience = '', OAUTH_JWKS_URL: jwksUrl } = config
  const origin = originReader(config.PUBLIC_URL, trustsProxy(config.TRUST_PROXY))
  const keys = issuerKeys({ issuer, jwksUrl, clock, warn })
  const needed = tableOf(rooms).flatMap(({ operation, erasure = operation }) => [
    ...scopesOf(operation),
    ...scopesOf(erasure),
  ])
  const scopes = [...new Set(needed.flatMap((together) => together.split(' ')))]
  return {
    authenticate: bearerAccess({ issuer, audience, keys, logins: logins(clock), clock, warn }),
    withDiscovery: (otherwise) => withMetadata({ issuer, prefixes, scopes, origin }, otherwise),
    sweep: async () => 0,
    close: async () => undefined,
  }
}

import { bearerAccess } from '#access/bearer.ts'
import { invalidToken } from '#access/challenge.ts'
import { issuerKeys } from '#access/issuer-keys.ts'
import { metadataUrl, withMetadata } from '#access/metadata.ts'
import { scopesByOperation } from '#access/policy.ts'
import { serviceSecretAuth } from '#access/service-secret.ts'
import type { Caller } from '#http/api/guard.ts'
import { allRoutes } from '#resources/all-routes.ts'
import { policyOf } from '#resources/combined.ts'
import type { Config } from '#src/config.ts'
import { type Access, type AccessParts, keyOwners, openLogins } from './access.ts'

/** Authenticates tokens of the issuer, and keys of this service. */
export const oauthAccessOf = async (config: Config, parts: AccessParts): Promise<Access> => {
  const { clock, warn, tasks, apiPrefixes, openedResources, origin } = parts
  const { OAUTH_ISSUER: issuer = '', OAUTH_AUDIENCE: audience = '', OAUTH_JWKS_URL: jwksUrl } = config
  const keys = issuerKeys({ issuer, jwksUrl, clock, onFetched: (error) => tasks.ended('issuer keys', error) })
  const scopesOf = scopesByOperation(policyOf(parts.resources))
  const neededScopes = allRoutes(parts).flatMap(({ operation, erasureOperation = operation }) => [
    ...scopesOf(operation),
    ...scopesOf(erasureOperation),
  ])
  const scopes = [...new Set(neededScopes.flatMap((requiredTogether) => requiredTogether.split(' ')))]
  const loginCache = await openLogins(parts)
  const refusal = (caller: Caller) => invalidToken(metadataUrl(caller), 'The key is not valid.')
  const serviceSecret = serviceSecretAuth({
    logins: loginCache,
    throttle: unthrottled,
    ownerOf: keyOwners(openedResources),
    refusal,
  })
  return {
    authenticate: bearerAccess({ issuer, audience, keys, logins: loginCache, serviceSecret, clock, warn }),
    refusal,
    withDiscovery: (otherwise) => withMetadata({ issuer, apiPrefixes, scopes, origin }, otherwise),
    sweeps: {},
  }
}

/** A throttle that limits nothing: a wrong key costs one lookup, a wrong token one check of a signature, and RATE_LIMIT counts both. */
const unthrottled = {
  run: <T>(_: unknown, check: () => Promise<T | undefined>) => check(),
  countFailure: async () => undefined,
}

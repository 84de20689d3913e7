import { bearerAccess } from '#access/bearer.ts'
import { invalidToken } from '#access/challenge.ts'
import { issuerKeys } from '#access/issuer-keys.ts'
import { metadataUrl, withMetadata } from '#access/metadata.ts'
import { ownBearer } from '#access/own-bearer.ts'
import { scopesOf } from '#access/policy.ts'
import { tableOf } from '#resources/table.ts'
import type { Config } from '#src/config.ts'
import { type Access, type AccessParts, keyOwners, openLogins } from './access.ts'

/** Anybody with a token from the issuer may enter. */
export const oauthAccessOf = async (config: Config, parts: AccessParts): Promise<Access> => {
  const { clock, warn, prefixes, rooms, origin, sweepFailures } = parts
  const { OAUTH_ISSUER: issuer = '', OAUTH_AUDIENCE: audience = '', OAUTH_JWKS_URL: jwksUrl } = config
  const keys = issuerKeys({ issuer, jwksUrl, clock, warn })
  const needed = tableOf(parts).flatMap(({ operation, erasure = operation }) => [
    ...scopesOf(operation),
    ...scopesOf(erasure),
  ])
  const scopes = [...new Set(needed.flatMap((together) => together.split(' ')))]
  const known = await openLogins(parts)
  const own = ownBearer({
    logins: known,
    throttle: unthrottled,
    ownerOf: keyOwners(rooms),
    refusal: (caller) => invalidToken(metadataUrl(caller), 'The key is not valid.'),
  })
  return {
    authenticate: bearerAccess({ issuer, audience, keys, logins: known, own, clock, warn }),
    withDiscovery: (otherwise) => withMetadata({ issuer, prefixes, scopes, origin }, otherwise),
    sweep: sweepFailures,
  }
}

/** A wrong key costs one lookup, as a wrong token costs one check of a signature. RATE_LIMIT counts both. */
const unthrottled = {
  run: <T>(_: unknown, check: () => Promise<T | undefined>) => check(),
  failed: async () => undefined,
}

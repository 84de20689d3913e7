import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { Clock } from '#core/clock.ts'
import { isXmlText } from '#core/formats.ts'
import { Problem } from '#core/problem.ts'
import type { Caller } from '#http/api/guard.ts'
import type { Principal } from '#http/api/principal.ts'
import { authorizationOf } from './authorization.ts'
import { invalidToken, tokenRequired } from './challenge.ts'
import type { Logins, VerifiedLogin } from './logins.ts'
import { metadataUrl } from './metadata.ts'
import { type Authenticate, clientPrincipal, subjectlessPrincipal } from './principals.ts'
import { type ServiceSecretAuth, serviceSecretIn } from './service-secret.ts'

interface BearerParts {
  readonly issuer: string
  readonly audience: string
  readonly keys: JWTVerifyGetKey
  readonly logins: Logins
  /** Authenticates callers that send a key made by this service instead of a token of the issuer. */
  readonly serviceSecret: ServiceSecretAuth
  readonly clock: Clock
  readonly warn: (error: unknown) => void
}

/** Only signatures by private keys: with HMAC, anybody who can check a token can also forge one. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

const leewaySeconds = 30

/** Access by tokens of the issuer (RFC 9068), which are accepted only in the Authorization header (RFC 6750, decision 0008). */
export const bearerAccess = (parts: BearerParts): Authenticate => {
  const { logins } = parts
  const check = async (token: string, caller: Caller) => {
    const metadata = metadataUrl(caller)
    if (!isToken(token)) throw invalidToken(metadata, malformed)
    const principal = await logins.check(token, caller.address, () => verify(token, parts, metadata))
    if (!principal) throw invalidToken(metadata, malformed)
    return principal
  }
  return (caller) => {
    const authorization = authorizationOf(caller.incoming) ?? ''
    const secret = serviceSecretIn(authorization)
    if (secret !== undefined) return parts.serviceSecret(secret, caller)
    const token = tokenOf(authorization)
    if (token === undefined) throw tokenRequired(metadataUrl(caller))
    return logins.find(token) ?? check(token, caller)
  }
}

/** The token without its scheme, so that headers with another case or other spaces find the same cached login. */
const tokenOf = (header: string): string | undefined =>
  /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : undefined

const malformed = 'The token is malformed.'
const maxTokenLength = 8_192

/** The unused bits of the last character must be zero, so that no token has a second encoding (RFC 4648, 3.5). */
const base64url = /(?=[^.])(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[048AEIMQUYcgkosw])?/.source
const jws = new RegExp(`^${base64url}\\.${base64url}\\.${base64url}$`)

/** True if the token consists of three base64url parts. Nothing is decoded yet. */
export const isToken = (token: string): boolean => token.length <= maxTokenLength && jws.test(token)

const verify = async (token: string, parts: BearerParts, metadata: string): Promise<VerifiedLogin> => {
  const { issuer, audience, keys, clock, warn } = parts
  try {
    const payload = await payloadOf(token, keys, {
      issuer,
      audience,
      algorithms,
      typ: 'at+jwt',
      clockTolerance: leewaySeconds,
      currentDate: new Date(clock.now()),
      requiredClaims: ['exp'],
    })
    return ownerOf(payload, metadata)
  } catch (error) {
    if (error instanceof Problem) throw error
    if (!(error instanceof errors.JOSEError)) warn(error)
    throw invalidToken(metadata, reasonOf(error))
  }
}

/** A token that names no key may be signed by any key of its type. At most this many keys are tried. */
const maxKeysTried = 8

const payloadOf = async (token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions) => {
  try {
    return (await jwtVerify(token, keys, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    let tried = 0
    for await (const key of error) {
      const verified = await jwtVerify(token, key, options).catch(ignoreOtherKey)
      if (verified) return verified.payload
      if (++tried === maxKeysTried) break
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

const ignoreOtherKey = (error: unknown) => {
  if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
}

const ownerOf = (payload: JWTPayload, metadata: string): VerifiedLogin => {
  const { cnf, exp = 0 } = payload
  const principal = principalOf(payload)
  if (principal === undefined) throw invalidToken(metadata, 'The token names no subject.')
  // The sender of such a token must prove that it has the key. Without that proof, a thief could use the token.
  if (cnf !== undefined) throw invalidToken(metadata, 'The token is bound to a key.')
  const until = Math.min(exp * 1000, lastInstant)
  return { principal: { ...principal, until }, until: until + leewaySeconds * 1000 }
}

/** A token may expire later than the last time that can be formatted. */
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

/** The client id replaces an absent subject. It never replaces an invalid subject, because many subjects may share a client. */
const principalOf = (payload: JWTPayload): Principal | undefined => {
  const { sub, client_id: clientId } = payload as Readonly<Record<string, unknown>>
  if (isName(sub)) return clientPrincipal(sub, scopesOf(payload))
  return sub === undefined && isName(clientId) ? subjectlessPrincipal(clientId, scopesOf(payload)) : undefined
}

/** The name of a principal is stored and shown, so every database and representation must be able to hold it. */
const isName = (claim: unknown): claim is string =>
  typeof claim === 'string' && claim !== '' && isXmlText(claim)

/** `scope` is a string of scopes separated by spaces (RFC 9068). Some issuers send `scp` instead, as a string or a list. */
const scopesOf = ({ scope, scp }: JWTPayload): ReadonlySet<string> =>
  new Set([scope, scp].flat().flatMap((words) => (typeof words === 'string' ? words.split(' ') : [])))

const reasonOf = (error: unknown): string => {
  if (error instanceof errors.JWTExpired) return 'The token has expired.'
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} is wrong.`
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The algorithm of the token is not allowed.'
  if (error instanceof errors.JWKSNoMatchingKey) return 'The key of the token is not known.'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is wrong.'
  return malformed
}

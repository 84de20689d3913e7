import { createPublicKey, type webcrypto } from 'node:crypto'
import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose'
import type { Clock, Instant } from '#core/clock.ts'
import { waitAtMost } from '#core/event-loop.ts'
import { issuerUnavailable } from './challenge.ts'

interface IssuerSettings {
  readonly issuer: string
  /** The address of its keys; discovered if not given. */
  readonly jwksUrl: string | undefined
}

interface KeysParts extends IssuerSettings {
  readonly clock: Clock
  /** Called after every attempt to fetch the keys, with the error if it failed. */
  readonly ended: (error?: unknown) => void
}

/** An unknown key id may belong to a new key, so fetch the keys again, but at most this often: anybody can make up ids. */
const unknownCooldownMs = 30_000

/** Without any keys nobody can sign in, so fetch again sooner. */
const firstCooldownMs = 5_000

/** The longest that a request waits for a slow issuer; once the issuer has answered, the next request finds the keys. */
const maxWaitMs = 2_000

/** How long keys are used before they are fetched again. While the issuer cannot be reached, the known ones stay in use. */
const freshMs = 300_000

/** The keys of the issuer, fetched when the first one is needed. */
export const issuerKeys = ({ issuer, jwksUrl, clock, ended }: KeysParts): JWTVerifyGetKey => {
  let requestedAt: Instant = -Infinity
  let address = jwksUrl
  let keys: ReturnType<typeof createLocalJWKSet> | undefined
  let fetching: Promise<void> | undefined

  const fetchKeys = async () => {
    address ??= await discover(issuer)
    keys = keySetOf(address, await fetchJson(address))
  }
  /** False when the issuer was asked too recently. */
  const refresh = async (cooldownMs: number): Promise<boolean> => {
    const now = clock.now()
    // A clock that was set back must not block fetching until it has caught up.
    if (!fetching && Math.abs(now - requestedAt) < cooldownMs) return false
    if (!fetching) {
      requestedAt = now
      fetching = fetchKeys()
        .then(
          () => ended(),
          (error: unknown) => {
            requestedAt = clock.now()
            // The issuer may have moved its keys, so their address is discovered again.
            address = jwksUrl
            ended(error)
          },
        )
        .finally(() => {
          fetching = undefined
        })
    }
    await waitAtMost(fetching, maxWaitMs)
    return true
  }

  return async (header, token) => {
    if (!keys) await refresh(firstCooldownMs)
    if (!keys) throw issuerUnavailable()
    void refresh(freshMs)
    try {
      return await keys(header, token)
    } catch (error) {
      const mayBeNew = error instanceof errors.JWKSNoMatchingKey && (await refresh(unknownCooldownMs))
      if (!mayBeNew) throw error
      if (fetching) throw issuerUnavailable()
      return keys(header, token)
    }
  }
}

/** Refuses the document of another issuer (RFC 8414, 3.3), and keys that would be fetched without TLS. */
export const jwksUriOf = (issuer: string, document: unknown): string => {
  const { issuer: named, jwks_uri: address } = Object(document) as Readonly<Record<string, unknown>>
  if (named !== issuer) throw new Error(`the document of ${issuer} names ${named} as its issuer`)
  if (typeof address !== 'string') throw new Error(`the document of ${issuer} names no keys`)
  const { protocol } = new URL(address)
  if (protocol !== 'https:' && protocol !== new URL(issuer).protocol) {
    throw new Error(`the keys of ${issuer} are not at an https address`)
  }
  return address
}

/** An empty key set is an issuer's mistake, because without a key it could sign nothing: the known keys stay in use. */
const keySetOf = (address: string, document: unknown) => {
  const { keys } = Object(document) as { readonly keys?: unknown }
  if (!Array.isArray(keys)) throw new Error(`${address} is not a key set`)
  const usable = keys.filter(isUsableKey)
  if (usable.length === 0) throw new Error(`${address} lists no usable keys`)
  return createLocalJWKSet({ keys: usable })
}

/** One broken or weak entry of a key set disables only itself. RSA keys need 2,048 bits and an exponent of at least 3. */
export const isUsableKey = (key: unknown): key is JWK => {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({
      key: key as webcrypto.JsonWebKey,
      format: 'jwk',
    })
    const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {}
    return asymmetricKeyType !== 'rsa' || (modulusLength >= 2_048 && publicExponent >= 3n)
  } catch {
    return false
  }
}

/** Where OpenID Connect and RFC 8414 put the document that describes an issuer. */
const metadataUrls = (issuer: string) => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
}

const discover = async (issuer: string): Promise<string> => {
  const failures: unknown[] = []
  for (const address of metadataUrls(issuer)) {
    try {
      return jwksUriOf(issuer, await fetchJson(address))
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, `the issuer ${issuer} could not be discovered`)
}

const timeoutMs = 5_000
const limitBytes = 512 * 1024

/** Fetches JSON from an address named by the settings or the issuer. Redirects are not followed. */
const fetchJson = async (address: string): Promise<unknown> => {
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) throw new Error(`${address} answered with status ${response.status}`)
  return JSON.parse(await textOf(response, address))
}

const textOf = async (response: Response, address: string) => {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > limitBytes) throw new Error(`${address} answered with more than ${limitBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

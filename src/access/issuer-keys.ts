import { createPublicKey, type webcrypto } from 'node:crypto'
import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose'
import type { Clock, Instant } from '#core/clock.ts'
import { waitAtMost } from '#core/event-loop.ts'
import { issuerUnavailable } from './challenge.ts'

interface IssuerSettings {
  readonly issuer: string
  /** The address of the issuer's keys. If undefined, the address is discovered. */
  readonly jwksUrl: string | undefined
}

interface KeysParts extends IssuerSettings {
  readonly clock: Clock
  /** Called after every attempt to fetch the keys, with the error if it failed. */
  readonly onFetched: (error?: unknown) => void
}

/** An unknown key id may belong to a new key, so the keys are fetched again, but only after this time: anybody can invent key ids. */
const unknownKeyCooldownMs = 30_000

/** Without any keys nobody can sign in, so the next attempt to fetch the keys comes sooner. */
const noKeysCooldownMs = 5_000

/** The maximum time that a request waits for a slow issuer. The fetch continues, so a later request finds the keys. */
const maxWaitMs = 2_000

/** The age at which keys are fetched again. While the issuer cannot be reached, the known keys stay in use. */
const refreshAfterMs = 300_000

/** The keys of the issuer. They are fetched when the first token arrives. */
export const issuerKeys = ({ issuer, jwksUrl, clock, onFetched }: KeysParts): JWTVerifyGetKey => {
  let requestedAt: Instant = -Infinity
  let address = jwksUrl
  let keys: ReturnType<typeof createLocalJWKSet> | undefined
  let fetching: Promise<void> | undefined

  const fetchKeys = async () => {
    address ??= await discover(issuer)
    keys = keySetOf(address, await fetchJson(address))
  }
  /** Fetches the keys. False if the last fetch is too recent. */
  const refresh = async (cooldownMs: number): Promise<boolean> => {
    const now = clock.now()
    // A clock that was set back must not block fetching until it has caught up.
    if (!fetching && Math.abs(now - requestedAt) < cooldownMs) return false
    if (!fetching) {
      requestedAt = now
      fetching = fetchKeys()
        .then(
          () => onFetched(),
          (error: unknown) => {
            requestedAt = clock.now()
            // The issuer may have moved its keys, so their address is discovered again.
            address = jwksUrl
            onFetched(error)
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
    if (!keys) await refresh(noKeysCooldownMs)
    if (!keys) throw issuerUnavailable()
    void refresh(refreshAfterMs)
    try {
      return await keys(header, token)
    } catch (error) {
      const mayBeNew = error instanceof errors.JWKSNoMatchingKey && (await refresh(unknownKeyCooldownMs))
      if (!mayBeNew) throw error
      if (fetching) throw issuerUnavailable()
      return keys(header, token)
    }
  }
}

/** The address of the keys in the discovery document. Refuses the document of another issuer (RFC 8414, 3.3), and an address without TLS. */
export const jwksUriOf = (issuer: string, document: unknown): string => {
  const { issuer: claimed, jwks_uri: address } = Object(document) as Readonly<Record<string, unknown>>
  if (claimed !== issuer) throw new Error(`the document of ${issuer} names ${claimed} as its issuer`)
  if (typeof address !== 'string') throw new Error(`the document of ${issuer} names no keys`)
  const { protocol } = new URL(address)
  if (protocol !== 'https:' && protocol !== new URL(issuer).protocol) {
    throw new Error(`the keys of ${issuer} are not at an https address`)
  }
  return address
}

/** Throws if no key is usable, so that the known keys stay in use. An empty key set is a mistake of the issuer, which could sign nothing. */
const keySetOf = (address: string, document: unknown) => {
  const { keys } = Object(document) as { readonly keys?: unknown }
  if (!Array.isArray(keys)) throw new Error(`${address} is not a key set`)
  const usable = keys.filter(isUsableKey)
  if (usable.length === 0) throw new Error(`${address} lists no usable keys`)
  return createLocalJWKSet({ keys: usable })
}

/** A broken or weak key does not disable the others of its set. RSA keys need 2,048 bits and an exponent of at least 3. */
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

/** The addresses of the document that describes an issuer, by OpenID Connect and by RFC 8414. */
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

/** Fetches JSON from an address that the settings or the issuer name. A redirect is an error. */
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

import { setTimeout as sleep } from 'node:timers/promises'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock, Instant } from '#core/clock.ts'
import { issuerUnavailable } from './challenge.ts'
import { fetchJson } from './fetch-json.ts'

export interface IssuerSettings {
  readonly issuer: string
  /** Where its keys are; discovered if it is not given. */
  readonly jwksUrl: string | undefined
}

interface KeysParts extends IssuerSettings {
  readonly clock: Clock
  readonly warn: (error: unknown) => void
}

/** A key that is not known may be new: so long after the last answer it is asked for. Whoever makes key ids up causes no more. */
const unknownCooldownMs = 30_000

/** While nothing is known nobody enters, so it is asked sooner. */
const firstCooldownMs = 5_000

/** Nobody waits longer for an issuer that takes its time; whoever comes when it has answered finds the keys. */
const longestWaitMs = 2_000

/** Keys that the issuer no longer shows are forgotten after so long; those known stay while it cannot be reached. */
const freshMs = 300_000

/** The keys of the issuer, fetched when the first is asked for. */
export const issuerKeys = ({ issuer, jwksUrl, clock, warn }: KeysParts): JWTVerifyGetKey => {
  let askedAt: Instant = -Infinity
  let address = jwksUrl
  let keys: ReturnType<typeof createLocalJWKSet> | undefined
  let fetching: Promise<void> | undefined

  const fetchKeys = async () => {
    address ??= await discover(issuer)
    keys = keySetOf(address, await fetchJson(address))
  }
  /** False when it was asked too short a time ago. */
  const ask = async (cooldownMs: number): Promise<boolean> => {
    const now = clock.now()
    // A clock that was put back is not waited for.
    if (!fetching && Math.abs(now - askedAt) < cooldownMs) return false
    if (!fetching) {
      askedAt = now
      fetching = fetchKeys()
        .catch((error: unknown) => {
          askedAt = clock.now()
          // The issuer may have moved its keys: where they are is found out anew.
          address = jwksUrl
          warn(error)
        })
        .finally(() => {
          fetching = undefined
        })
    }
    await waited(fetching, longestWaitMs)
    return true
  }

  return async (header, token) => {
    if (!keys) await ask(firstCooldownMs)
    if (!keys) throw issuerUnavailable()
    void ask(freshMs)
    try {
      return await keys(header, token)
    } catch (error) {
      const mayBeNew = error instanceof errors.JWKSNoMatchingKey && (await ask(unknownCooldownMs))
      if (!mayBeNew) throw error
      if (fetching) throw issuerUnavailable()
      return keys(header, token)
    }
  }
}

/** An issuer without a key could have signed nothing: it shows none by mistake, and those known stay. */
const keySetOf = (address: string, told: unknown) => {
  const keys = createLocalJWKSet(told as JSONWebKeySet)
  if (keys.jwks().keys.length === 0) throw new Error(`${address} shows no keys`)
  return keys
}

const waited = async (work: Promise<void>, limitMs: number) => {
  const over = new AbortController()
  await Promise.race([work, sleep(limitMs, undefined, { signal: over.signal, ref: false })])
  over.abort()
}

/** What OpenID Connect and RFC 8414 call the document in which an issuer tells of itself. */
const documentsOf = (issuer: string) => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
}

const discover = async (issuer: string): Promise<string> => {
  const failures: unknown[] = []
  for (const address of documentsOf(issuer)) {
    try {
      return jwksUriOf(issuer, await fetchJson(address))
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, `the issuer ${issuer} could not be discovered`)
}

/** A document that speaks for another issuer is none of ours (RFC 8414, 3.3), nor are keys sent in the clear. */
const jwksUriOf = (issuer: string, document: unknown): string => {
  const { issuer: told, jwks_uri: address } = Object(document) as Readonly<Record<string, unknown>>
  if (told !== issuer) throw new Error(`the document of ${issuer} is that of ${told}`)
  if (typeof address !== 'string') throw new Error(`the document of ${issuer} names no keys`)
  const { protocol } = new URL(address)
  if (protocol !== 'https:' && protocol !== new URL(issuer).protocol) {
    throw new Error(`the keys of ${issuer} are not at an https address`)
  }
  return address
}

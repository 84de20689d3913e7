import { hash, randomBytes } from 'node:crypto'
import type { Clock, Instant } from '#core/clock.ts'
import type { Principal } from '#http/api/principal.ts'

export type Logins = ReturnType<typeof logins>

type Check = () => Promise<VerifiedLogin | undefined>

export interface VerifiedLogin {
  readonly principal: Principal
  /** The end of the validity of the credential. The login is not cached longer. */
  readonly until?: Instant
}

const lifetimeMs = 60_000
const renewAfterMs = 45_000
const maxLogins = 10_000

/** A limit per principal, so that a principal that encodes its credential in many ways cannot evict the logins of others. */
const maxHeadersPerPrincipal = 4

/**
 * Caches recently verified credentials. Stores only digests made with a key that exists only in this process, so the cache cannot
 * be used to sign in. Nobody without the key can choose a digest, so the time of a lookup reveals nothing.
 */
export const logins = (clock: Clock) => {
  const key = randomBytes(32).toString('base64url')
  /** The digest is a string, because Node makes a string three times as fast as a buffer. */
  const digestOf = (credential: string) => hash('sha256', key + credential, 'latin1')
  const cachedLogins = new Map<string, Login>()
  const digestsOf = new Map<string, Set<string>>()
  const outcomes = new Map<string, Promise<Principal | undefined>>()
  const activeChecks = new Set<RunningCheck>()

  const cacheLogin = (digest: string, { principal, until = Number.POSITIVE_INFINITY }: VerifiedLogin) => {
    const verifiedAt = clock.now()
    store(digest, {
      principal,
      verifiedAt,
      until: Math.min(until, verifiedAt + lifetimeMs),
      isRenewed: false,
    })
  }

  const store = (digest: string, login: Login) => {
    const { name } = login.principal
    drop(digest)
    for (const oldest of cachedLogins.keys()) {
      if (cachedLogins.size < maxLogins) break
      drop(oldest)
    }
    cachedLogins.set(digest, login)
    digestsOf.set(name, (digestsOf.get(name) ?? new Set()).add(digest))
  }

  /** Finds the login with this digest, and drops the login if it has expired. */
  const findFresh = (digest: string): Login | undefined => {
    const login = cachedLogins.get(digest)
    if (!login || isFresh(login, clock.now())) return login
    drop(digest)
    return undefined
  }

  const mustRenew = ({ isRenewed, verifiedAt }: Login) =>
    !isRenewed && clock.now() >= verifiedAt + renewAfterMs

  const drop = (digest: string) => {
    const name = cachedLogins.get(digest)?.principal.name
    if (name === undefined) return
    cachedLogins.delete(digest)
    const digests = digestsOf.get(name)
    digests?.delete(digest)
    if (digests?.size === 0) digestsOf.delete(name)
  }

  const checkUntilSettled = async (digest: string, check: Check) => {
    for (;;) {
      const thisCheck: RunningCheck = { forgotten: new Set(), isAllForgotten: false }
      activeChecks.add(thisCheck)
      const verified = await check().finally(() => activeChecks.delete(thisCheck))
      if (verified && (thisCheck.isAllForgotten || thisCheck.forgotten.has(verified.principal.name))) continue
      if (verified) cacheLogin(digest, verified)
      return verified?.principal
    }
  }

  return {
    /** Finds a cached login. If the login expires soon, calls `renew` once, so that the owner never waits for a new check. */
    find(credential: string, renew?: () => void): Principal | undefined {
      const login = findFresh(digestOf(credential))
      if (login && renew && mustRenew(login)) {
        login.isRenewed = true
        renew()
      }
      return login?.principal
    },

    /** Finds a login by a header seen before, without decoding the header. Undefined when the login must be renewed. */
    findByHeader(header: string): Principal | undefined {
      const login = findFresh(digestOf(header))
      return login && !mustRenew(login) ? login.principal : undefined
    },

    /** Adds a header by which `findByHeader` finds the login of this credential. */
    addHeader(credential: string, header: string) {
      const login = findFresh(digestOf(credential))
      if (login && (digestsOf.get(login.principal.name)?.size ?? 0) <= maxHeadersPerPrincipal)
        store(digestOf(header), login)
    },

    /**
     * Checks a credential and caches its owner. Concurrent calls of the same `requester` share one run of `check`. If `forget` is
     * called for the owner during the check, the check runs again.
     */
    check(credential: string, requester: string, check: Check): Promise<Principal | undefined> {
      const digest = digestOf(credential)
      const name = `${digest} ${requester}`
      const running = outcomes.get(name)
      if (running) return running
      const outcome = checkUntilSettled(digest, check).finally(() => outcomes.delete(name))
      outcomes.set(name, outcome)
      return outcome
    },

    /** Forgets every login of the principal with this name. */
    forget(name: string) {
      for (const check of activeChecks) check.forgotten.add(name)
      for (const digest of digestsOf.get(name) ?? []) drop(digest)
    },

    forgetAll() {
      for (const check of activeChecks) check.isAllForgotten = true
      cachedLogins.clear()
      digestsOf.clear()
    },
  }
}

interface Login {
  readonly principal: Principal
  readonly verifiedAt: Instant
  readonly until: Instant
  isRenewed: boolean
}

interface RunningCheck {
  readonly forgotten: Set<string>
  isAllForgotten: boolean
}

/** A login whose time is in the future counts as expired. The clock was set back, and the login would last too long. */
const isFresh = ({ verifiedAt, until }: Login, now: Instant) => now >= verifiedAt && now < until

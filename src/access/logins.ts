import { hash, randomBytes } from 'node:crypto'
import type { Clock, Instant } from '#core/clock.ts'
import type { Principal } from '#http/api/principal.ts'

export type Logins = ReturnType<typeof logins>

type Check = () => Promise<VerifiedLogin | undefined>

export interface VerifiedLogin {
  readonly principal: Principal
  /** The end of the credential's validity: it is not remembered longer. */
  readonly until?: Instant
}

const rememberedMs = 60_000
const renewedAfterMs = 45_000
const maxRemembered = 10_000

/** Per principal, so that one that encodes its credential in many ways cannot evict others. */
const maxSpellings = 4

/**
 * Recently verified credentials. Keeps only digests, made with a key that exists only in this process, so nothing here can be
 * used to sign in. Without the key nobody can choose a digest, so the time of a lookup reveals nothing.
 */
export const logins = (clock: Clock) => {
  const key = randomBytes(32).toString('base64url')
  /** A string, because Node makes one three times as fast as a buffer. */
  const digestOf = (credential: string) => hash('sha256', key + credential, 'latin1')
  const remembered = new Map<string, Login>()
  const digestsOf = new Map<string, Set<string>>()
  const running = new Map<string, Promise<Principal | undefined>>()
  const checks = new Set<Running>()

  const remember = (digest: string, { principal, until = Number.POSITIVE_INFINITY }: VerifiedLogin) => {
    const at = clock.now()
    put(digest, { principal, at, until: Math.min(until, at + rememberedMs), isRenewed: false })
  }

  const put = (digest: string, login: Login) => {
    const { name } = login.principal
    drop(digest)
    for (const oldest of remembered.keys()) {
      if (remembered.size < maxRemembered) break
      drop(oldest)
    }
    remembered.set(digest, login)
    digestsOf.set(name, (digestsOf.get(name) ?? new Set()).add(digest))
  }

  /** The login with this digest. One that is too old is forgotten. */
  const freshAt = (digest: string): Login | undefined => {
    const login = remembered.get(digest)
    if (!login || isFresh(login, clock.now())) return login
    drop(digest)
    return undefined
  }

  const mustRenew = ({ isRenewed, at }: Login) => !isRenewed && clock.now() >= at + renewedAfterMs

  const drop = (digest: string) => {
    const name = remembered.get(digest)?.principal.name
    if (name === undefined) return
    remembered.delete(digest)
    const digests = digestsOf.get(name)
    digests?.delete(digest)
    if (digests?.size === 0) digestsOf.delete(name)
  }

  const checkUntilSettled = async (digest: string, check: Check) => {
    for (;;) {
      const own: Running = { forgotten: new Set(), isAllForgotten: false }
      checks.add(own)
      const known = await check().finally(() => checks.delete(own))
      if (known && (own.isAllForgotten || own.forgotten.has(known.principal.name))) continue
      if (known) remember(digest, known)
      return known?.principal
    }
  }

  return {
    /** Calls `renew` once for a login that will soon expire, so that it is checked again before its owner has to wait. */
    find(credential: string, renew?: () => void): Principal | undefined {
      const login = freshAt(digestOf(credential))
      if (login && renew && mustRenew(login)) {
        login.isRenewed = true
        renew()
      }
      return login?.principal
    },

    /** Finds a login by a spelling seen before, without decoding it. Undefined when it is time to renew the login. */
    findSpelled(spelling: string): Principal | undefined {
      const login = freshAt(digestOf(spelling))
      return login && !mustRenew(login) ? login.principal : undefined
    },

    /** Adds a spelling by which `findSpelled` finds the login of this credential. */
    spell(credential: string, spelling: string) {
      const login = freshAt(digestOf(credential))
      if (login && (digestsOf.get(login.principal.name)?.size ?? 0) <= maxSpellings)
        put(digestOf(spelling), login)
    },

    /**
     * Finds the owner of the credential. Concurrent calls of the same `requester` share one run of `check`, and its outcome is
     * remembered. If the principal is forgotten during the check, the check runs again.
     */
    check(credential: string, requester: string, check: Check): Promise<Principal | undefined> {
      const digest = digestOf(credential)
      const name = `${digest} ${requester}`
      const known = running.get(name)
      if (known) return known
      const outcome = checkUntilSettled(digest, check).finally(() => running.delete(name))
      running.set(name, outcome)
      return outcome
    },

    /** Forgets every login of the principal with this name. */
    forget(name: string) {
      for (const check of checks) check.forgotten.add(name)
      for (const digest of digestsOf.get(name) ?? []) drop(digest)
    },

    forgetAll() {
      for (const check of checks) check.isAllForgotten = true
      remembered.clear()
      digestsOf.clear()
    },
  }
}

interface Login {
  readonly principal: Principal
  readonly at: Instant
  readonly until: Instant
  isRenewed: boolean
}

interface Running {
  readonly forgotten: Set<string>
  isAllForgotten: boolean
}

/** A login from the future counts as expired, because it would last too long after the clock was set back. */
const isFresh = ({ at, until }: Login, now: Instant) => now >= at && now < until

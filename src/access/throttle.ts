import { createHmac } from 'node:crypto'
import type { Clock, Instant } from '#core/clock.ts'
import { fold } from '#core/fold.ts'
import { networkOf } from '#core/network.ts'
import { overloaded, Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Logins, VerifiedLogin } from './logins.ts'

export interface Failures {
  readonly count: number
  readonly blockedUntil: Instant
  readonly forgottenAt: Instant
}

/** Stores failures for all instances. */
interface FailureStore {
  find(scope: string): Promise<Failures | undefined>
  /** Replaces the stored failures by the result of `next`, which may run again if another instance changed them first. */
  change(scope: string, next: (known: Failures | undefined) => Failures): Promise<void>
  clear(scope: string): Promise<void>
}

export interface Attempt {
  readonly signId: string
  readonly address: string
}

export type Throttle = ReturnType<typeof throttle>

const windowMs = 60_000
const firstBlockMs = 1_000
const maxBlockMs = 60_000

/** The attempts that may fail within a window: for one sign id from one network, and for a network in total. */
const failuresPerSignId = 10
const failuresPerNetwork = 100

/** The checks of one network that may run or wait at a time, so that other networks are served, too. */
const maxConcurrentChecks = 16

interface ThrottleParts {
  readonly store: FailureStore
  readonly clock: Clock
  /** Equal in all instances. Sign ids are stored only as digests made with this secret, because people type passwords where sign ids belong. */
  readonly secret: Uint8Array
  /** Called if the store could not be written. Even then, right passwords are accepted and wrong ones refused. */
  readonly onWriteFailure: (error: unknown) => void
}

interface Guess {
  /** The credential, which is cached if the check succeeds. */
  readonly credential: string
  readonly attempt: Attempt
  readonly check: () => Promise<VerifiedLogin | undefined>
}

interface GuessParts {
  readonly logins: Logins
  readonly throttle: Pick<Throttle, 'run' | 'countFailure'>
}

/** Checks a credential that is not cached. Several requests may share one check, but each of them counts as an attempt. */
export const checkGuess = async (
  { logins, throttle }: GuessParts,
  { credential, attempt, check }: Guess,
): Promise<Principal | undefined> => {
  let isShared = true
  const principal = await logins.check(credential, attempt.address, () => {
    isShared = false
    return throttle.run(attempt, check)
  })
  if (!principal && isShared) await throttle.countFailure(attempt)
  return principal
}

export const throttle = ({ store, clock, secret, onWriteFailure }: ThrottleParts) => {
  const runningChecks = new Map<string, number>()
  const addRunning = (scope: string, change: 1 | -1) => {
    const count = (runningChecks.get(scope) ?? 0) + change
    if (count === 0) runningChecks.delete(scope)
    else runningChecks.set(scope, count)
  }
  const digest = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  const scopesOf = ({ signId, address }: Attempt): Scopes => {
    const network = networkOf(address)
    return [
      { name: digest(`${network} ${fold(signId)}`), limit: failuresPerSignId },
      { name: digest(network), limit: failuresPerNetwork },
    ]
  }

  /** A running check counts as failed, so that guessing in parallel gains nothing. */
  const requireAllowed = ({ name, limit, maxConcurrent = limit }: Scope, stored: Failures | undefined) => {
    const now = clock.now()
    const current = stored && isRemembered(stored, now) ? stored : noFailures
    if (current.blockedUntil > now) throw tooManyFailures(limit, current.blockedUntil - now)
    const maxRunning = Math.min(maxConcurrent, Math.max(1, limit - current.count))
    if ((runningChecks.get(name) ?? 0) >= maxRunning) throw tooManyFailures(limit, firstBlockMs)
  }

  const recordFailure = async (scopes: Scopes) => {
    const now = clock.now()
    const changes = scopes.map(({ name, limit }) =>
      store.change(name, (stored) => afterFailure(stored, limit, now)),
    )
    await Promise.all(changes).catch(onWriteFailure)
  }

  const recordSuccess = async (scope: Scope, stored: Failures | undefined) => {
    if (stored) await store.clear(scope.name).catch(onWriteFailure)
  }

  const run = async <T>(scopes: Scopes, check: () => Promise<T | undefined>) => {
    const stored = await Promise.all(scopes.map(({ name }) => store.find(name)))
    for (const [index, scope] of scopes.entries()) requireAllowed(scope, stored[index])
    if (scopes.some(({ name }) => (runningChecks.get(name) ?? 0) >= maxConcurrentChecks)) throw overloaded()
    for (const { name } of scopes) addRunning(name, 1)
    try {
      const found = await check()
      await (found === undefined ? recordFailure(scopes) : recordSuccess(scopes[0], stored[0]))
      return found
    } finally {
      for (const { name } of scopes) addRunning(name, -1)
    }
  }

  return {
    /** Runs the check of an attempt and records the outcome. Refuses the attempt if too many have failed. */
    run: <T>(attempt: Attempt, check: () => Promise<T | undefined>) => run(scopesOf(attempt), check),

    /** Runs a password check for a principal that is already signed in, at most two at a time. Failures count at any address. */
    runForPrincipal: <T>(name: string, check: () => Promise<T | undefined>) =>
      run([{ name: digest(`proof ${name}`), limit: failuresPerSignId, maxConcurrent: 2 }], check),

    /** Counts an attempt that shared a failed check. */
    countFailure: (attempt: Attempt) => recordFailure(scopesOf(attempt)),
  }
}

type Scopes = readonly [Scope, ...Scope[]]

/** The attempts whose failures are counted together: those for one sign id from one network, or all from a network. */
interface Scope {
  readonly name: string
  readonly limit: number
  readonly maxConcurrent?: number
}

/** From the limit on, every failure doubles the wait, up to a minute. */
const afterFailure = (stored: Failures | undefined, limit: number, now: Instant): Failures => {
  const isFirst = !stored || !isRemembered(stored, now)
  const count = isFirst ? 1 : stored.count + 1
  if (count < limit) {
    return { count, blockedUntil: 0, forgottenAt: isFirst ? now + windowMs : stored.forgottenAt }
  }
  const blockedUntil = now + Math.min(firstBlockMs * 2 ** (count - limit), maxBlockMs)
  return { count, blockedUntil, forgottenAt: blockedUntil + windowMs }
}

const noFailures: Failures = { count: 0, blockedUntil: 0, forgottenAt: 0 }

/** Failures are stored for at most a block and a window. If they would last longer, they were written before the clock was set back. */
const isRemembered = ({ forgottenAt }: Failures, now: Instant) =>
  forgottenAt > now && forgottenAt <= now + maxBlockMs + windowMs

/** The refusal has the header fields of the other limits, with `logins` as the name of the limit. */
const tooManyFailures = (limit: number, waitMs: number) => {
  const seconds = Math.ceil(waitMs / 1000)
  const headers = {
    'Retry-After': String(seconds),
    RateLimit: `"logins";r=0;t=${seconds}`,
    'RateLimit-Policy': `"logins";q=${limit};w=${windowMs / 1000}`,
  }
  return new Problem('tooManyRequests', { headers })
}

/** Milliseconds since 1970 UTC. */
export type Instant = number

export interface Clock {
  now(): Instant
}

export const systemClock: Clock = { now: () => Date.now() }

/** Now, but later than what was there before: a clock that stands or runs back never repeats a timestamp. */
export const after = (previous: Instant, clock: Clock): Instant => Math.max(clock.now(), previous + 1)

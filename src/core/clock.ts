/** Milliseconds since 1970 UTC. */
export type Instant = number

export interface Clock {
  now(): Instant
}

export const systemClock: Clock = { now: () => Date.now() }

/** Now, or just after `previous` if that is later, so that a clock that stops or runs backwards never repeats a timestamp. */
export const after = (previous: Instant, clock: Clock): Instant => Math.max(clock.now(), previous + 1)

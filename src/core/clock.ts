/** Milliseconds since 1970 UTC. */
export type Instant = number

export interface Clock {
  now(): Instant
}

export const systemClock: Clock = { now: () => Date.now() }

/** The current time, but always later than `previous`, even if the clock stops or runs backwards. */
export const laterThan = (previous: Instant, clock: Clock): Instant => Math.max(clock.now(), previous + 1)

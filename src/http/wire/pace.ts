import { setTimeout as sleep } from 'node:timers/promises'

/** Refusing costs time too: more than this many per second would take it from answering. */
const refusalsPerSecond = 10_000

/** This many go out at once, and later ones at that rate: a caller that waits for its refusal does not ask again meanwhile. */
const refusalBurst = 1_000
const maxHoldMs = 1_000

const intervalMs = 1000 / refusalsPerSecond

/** Decides how long to hold each refusal, counted from when it is made. */
export const refusalTurns = () => {
  let nextMs = Number.NEGATIVE_INFINITY
  return (nowMs: number): number => {
    nextMs = Math.max(nextMs, nowMs - refusalBurst * intervalMs) + intervalMs
    return Math.min(Math.max(0, nextMs - nowMs), maxHoldMs)
  }
}

/** One for all listeners, because they share the time of the process. */
const holdMs = refusalTurns()

/** Holds a refusal for overload until its turn, if it has to wait. */
export const pace = (): Promise<void> | undefined => {
  const waitMs = holdMs(performance.now())
  return waitMs > 0 ? sleep(waitMs, undefined, { ref: false }) : undefined
}

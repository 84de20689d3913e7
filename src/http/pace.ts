import { setTimeout as sleep } from 'node:timers/promises'

/** Refusing costs time too: more than these a second would take it from the answers. */
const refusalsPerSecond = 10_000

/** So many go out at once, and later ones at that rate: a caller that waits for its refusal does not ask again meanwhile. */
const refusalsAtOnce = 1_000
const longestHeldMs = 1_000

const everyMs = 1000 / refusalsPerSecond

let nextMs = Number.NEGATIVE_INFINITY

/** Holds a refusal for overload until its turn has come, if it must. */
export const pace = (): Promise<void> | undefined => {
  const now = performance.now()
  nextMs = Math.max(nextMs, now - refusalsAtOnce * everyMs) + everyMs
  const waitMs = Math.min(nextMs - now, longestHeldMs)
  return waitMs > 0 ? sleep(waitMs, undefined, { ref: false }) : undefined
}

import { conflict } from '#core/problem.ts'

/** How many times another instance may be faster. */
const maxTries = 16

/** Compare and swap: retries until nobody changed what an attempt read before it wrote. Undefined means it came too late. */
export const untilSwapped = async <T>(attempt: () => Promise<T | undefined>): Promise<T> => {
  for (let tries = 0; tries < maxTries; tries++) {
    const outcome = await attempt()
    if (outcome !== undefined) return outcome
  }
  throw conflict()
}

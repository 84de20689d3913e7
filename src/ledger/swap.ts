import { conflict } from '#core/problem.ts'

/** How often another instance may be faster. */
const mostTries = 16

/** Tries until what an attempt read was still there when it wrote. An attempt that came too late gives undefined. */
export const untilSwapped = async <T>(attempt: () => Promise<T | undefined>): Promise<T> => {
  for (let tries = 0; tries < mostTries; tries++) {
    const outcome = await attempt()
    if (outcome !== undefined) return outcome
  }
  throw conflict()
}

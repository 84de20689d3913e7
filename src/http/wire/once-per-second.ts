import type { Clock } from '#core/clock.ts'

/** Whether a text comes for the first time in this second. */
export const oncePerSecond = (clock: Clock) => {
  const seen = new Set<string>()
  let second = 0
  return (text: string): boolean => {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) seen.clear()
    second = now
    const isNew = !seen.has(text)
    seen.add(text)
    return isNew
  }
}

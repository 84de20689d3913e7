import type { Clock } from '#core/clock.ts'

/** Whether words have not been told yet in this second. */
export const oncePerSecond = (clock: Clock) => {
  const told = new Set<string>()
  let second = 0
  return (words: string): boolean => {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) told.clear()
    second = now
    const isNew = !told.has(words)
    told.add(words)
    return isNew
  }
}

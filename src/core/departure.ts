/** So many leave at once at most: those of a crowded turn do not wait for all of it. */
const mostTogether = 64

interface Departure {
  readonly left: Promise<void>
  readonly leave: () => void
  answers: number
}

let next: Departure | undefined

/**
 * The end of this turn of the event loop, when its answers leave together (decision 0032). A write wakes whoever waits
 * for it: one that finds a single answer sleeps again, and to wake it for every answer took half of the time of a small one.
 */
export const departure = (): Promise<void> => {
  next ??= announced()
  const { left, leave } = next
  if (++next.answers === mostTogether) leave()
  return left
}

/** What can wait until the answers of this turn have left. */
export const afterDeparture = (work: () => void) => {
  if (!next) return work()
  next.leave()
  queueMicrotask(work)
}

const announced = (): Departure => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const leave = () => {
    if (next === made) next = undefined
    resolve()
  }
  const made = { left: promise, leave, answers: 0 }
  setImmediate(leave)
  return made
}

/** So many leave at once at most: those of a crowded turn do not wait for all of it. */
const mostTogether = 64

interface Departure {
  readonly answers: (() => void)[]
  readonly leave: () => void
}

let next: Departure | undefined

/**
 * Lets an answer leave at the end of this turn of the event loop, together with the others of it (decision 0032). A write
 * wakes whoever waits for it: one that finds a single answer sleeps again, and to wake it for every answer took half of the
 * time of a small one.
 */
export const departure = (answer: () => void) => {
  next ??= announced()
  const { answers, leave } = next
  answers.push(answer)
  if (answers.length === mostTogether) leave()
}

/** What can wait until the answers of this turn have left. */
export const afterDeparture = (work: () => void) => {
  next?.leave()
  work()
}

/** How many have left so far: more than before, and somebody was answered meanwhile. */
export const departed = () => count

let count = 0

const announced = (): Departure => {
  const answers: (() => void)[] = []
  const leave = () => {
    if (next === made) next = undefined
    count += answers.length
    for (const answer of answers.splice(0)) answer()
  }
  const made = { answers, leave }
  setImmediate(leave)
  return made
}

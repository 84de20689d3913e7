/** At most this many leave together, so that in a crowded turn none waits for all the others. */
const maxTogether = 64

interface Departure {
  readonly answers: (() => void)[]
  readonly leave: () => void
}

let next: Departure | undefined

/**
 * Sends an answer at the end of this turn of the event loop, together with the others of the turn (decision 0032). Each
 * write wakes the client that waits for it, and waking it for every single answer took half of the time of a small one.
 */
export const departure = (answer: () => void) => {
  next ??= scheduled()
  const { answers, leave } = next
  answers.push(answer)
  if (answers.length === maxTogether) leave()
}

/** Sends the answers of this turn now, and then does the work. */
export const afterDeparture = (work: () => void) => {
  next?.leave()
  work()
}

/** How many answers have left so far: if the number has grown, somebody was answered meanwhile. */
export const departed = () => count

let count = 0

const scheduled = (): Departure => {
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

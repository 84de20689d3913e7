/** The maximum number of responses in a batch, so that none waits for all others of a busy turn. */
const maxTogether = 64

interface Batch {
  readonly responses: (() => void)[]
  readonly flush: () => void
}

let next: Batch | undefined

/**
 * Sends a response at the end of this turn of the event loop, together with the turn's other responses (decision 0032). Each
 * write wakes the waiting client, which took half of the time of a small response.
 */
export const sendBatched = (send: () => void) => {
  next ??= scheduled()
  const { responses, flush } = next
  responses.push(send)
  if (responses.length === maxTogether) flush()
}

/** Sends the batched responses of this turn now, and then does the work. */
export const afterResponses = (work: () => void) => {
  next?.flush()
  work()
}

/** How many responses have been sent. If the number grows, other requests are being answered. */
export const responsesSent = () => count

let count = 0

const scheduled = (): Batch => {
  const responses: (() => void)[] = []
  const flush = () => {
    if (next === made) next = undefined
    count += responses.length
    for (const send of responses.splice(0)) send()
  }
  const made = { responses, flush }
  setImmediate(flush)
  return made
}

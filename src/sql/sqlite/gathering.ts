import { endOfTurn } from '#core/turn.ts'

interface GatheringParts {
  readonly waiting: () => number
  /** The most writes that one commit makes durable. */
  readonly most: number
  readonly longestMs: number
}

/**
 * Gathers the writes that one commit makes durable: all that are asked for in this turn of the event loop. If there were
 * several last time, it waits for further turns until one brings none, because callers who were answered together ask again
 * within a few turns, and each commit saved is a sync saved. A single writer waits for no other turn.
 */
export const gathering = ({ waiting, most, longestMs }: GatheringParts) => {
  let lastTogether = 0
  return async () => {
    const latestMs = performance.now() + longestMs
    let before = 0
    await endOfTurn()
    while (lastTogether > 1 && waiting() > before && waiting() < most && performance.now() < latestMs) {
      before = waiting()
      await endOfTurn()
    }
    lastTogether = waiting()
  }
}

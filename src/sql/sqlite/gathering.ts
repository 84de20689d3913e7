import { endOfTurn } from '#core/turn.ts'

interface GatheringParts {
  readonly waiting: () => number
  /** The most writes that one commit makes durable. */
  readonly most: number
  readonly longestMs: number
}

/**
 * Gathers the writes that one commit makes durable: all that are requested in this turn of the event loop. If there were
 * several last time, it waits for further turns until one brings no more, because callers who were answered together send
 * their next writes within a few turns, and each commit saved is a sync saved. A lone writer never waits for another turn.
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

import { endOfTurn } from '#core/turn.ts'

interface GatheringParts {
  readonly waiting: () => number
  /** The most writes that one commit makes durable. */
  readonly maxWrites: number
  readonly maxMs: number
}

/**
 * Gathers the writes that one commit makes durable: all that are requested in this turn of the event loop. If there were
 * several last time, it waits for further turns until one brings no more, because callers who were answered together send
 * their next writes within a few turns, and each commit saved is a sync saved. A lone writer never waits for another turn.
 */
export const gathering = ({ waiting, maxWrites, maxMs }: GatheringParts) => {
  let lastCount = 0
  return async () => {
    const latestMs = performance.now() + maxMs
    let before = 0
    await endOfTurn()
    while (lastCount > 1 && waiting() > before && waiting() < maxWrites && performance.now() < latestMs) {
      before = waiting()
      await endOfTurn()
    }
    lastCount = waiting()
  }
}

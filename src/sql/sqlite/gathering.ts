import { endOfTurn } from '#core/turn.ts'

interface GatheringParts {
  readonly waiting: () => number
  /** How many one commit can make durable. */
  readonly most: number
  readonly longestMs: number
}

/**
 * Brings together those whom one commit makes durable: all who ask in this turn of the event loop. Where there were
 * several last time, the next turns are waited for too, until one brings nobody: who was answered together asks again
 * within a few turns, and each commit that is spared is a sync. Who writes alone waits for no other turn.
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

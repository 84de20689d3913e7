import { endOfTurn } from '#core/turn.ts'

interface GatheringParts {
  readonly waiting: () => number
  /** The most writes that one commit makes durable. */
  readonly maxWrites: number
  readonly maxMs: number
}

/**
 * Gathers the writes that one commit makes durable: all that are requested in this turn of the event loop. Callers who were
 * answered together send their next writes within a few turns, and each commit saved is a sync saved. So the next commit
 * waits for them, as long as a further turn brings some, or for a part of the time that a sync takes: otherwise they would
 * fall into two halves that wait for each other's syncs. A lone writer never waits for another turn.
 */
export const gathering = ({ waiting, maxWrites, maxMs }: GatheringParts) => {
  let expected = 1
  let patienceMs = 0

  return {
    /** So many have been answered together, after a sync that took so long. */
    answered(count: number, syncMs: number) {
      expected = Math.min(count + waiting(), maxWrites)
      patienceMs = maxMs === 0 ? 0 : syncMs * patience
    },

    async gather() {
      const fromMs = performance.now()
      let before = 0
      const goesOn = () => {
        const spentMs = performance.now() - fromMs
        if (expected === 1 || waiting() >= maxWrites) return false
        if (waiting() > before) return spentMs < Math.max(maxMs, patienceMs)
        return waiting() < expected && spentMs < patienceMs
      }
      await endOfTurn()
      while (goesOn()) {
        before = waiting()
        await endOfTurn()
      }
    },
  }
}

/** The part of a sync that a commit may wait. */
const patience = 0.5

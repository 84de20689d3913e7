import { endOfTurn } from '#core/event-loop.ts'

interface GatheringParts {
  readonly waiting: () => number
  /** The maximum number of writes in one commit. */
  readonly maxWrites: number
  readonly maxMs: number
}

/**
 * Gathers the writes of one commit: all that are requested in this turn of the event loop. Callers that were answered together
 * send their next writes within a few turns, and each saved commit saves a sync. So the next commit waits for them while
 * further turns bring some, or for a part of the time of a sync. Otherwise the callers would split into two halves that wait
 * for each other's syncs. A lone writer never waits for another turn.
 */
export const gathering = ({ waiting, maxWrites, maxMs }: GatheringParts) => {
  let expected = 1
  let waitMs = 0

  return {
    /** Call after a commit: `count` writes were answered together, after a sync of `syncMs`. */
    answered(count: number, syncMs: number) {
      expected = Math.min(count + waiting(), maxWrites)
      waitMs = maxMs === 0 ? 0 : syncMs * shareOfSync
    },

    async gather() {
      const fromMs = performance.now()
      let before = 0
      const goesOn = () => {
        const spentMs = performance.now() - fromMs
        if (expected === 1 || waiting() >= maxWrites) return false
        if (waiting() > before) return spentMs < Math.max(maxMs, waitMs)
        return waiting() < expected && spentMs < waitMs
      }
      await endOfTurn()
      while (goesOn()) {
        before = waiting()
        await endOfTurn()
      }
    },
  }
}

/** How long a commit may wait, as a share of the time of a sync. */
const shareOfSync = 0.5

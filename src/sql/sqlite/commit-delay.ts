import { endOfTurn } from '#core/event-loop.ts'

interface CommitDelayOptions {
  readonly waitingCount: () => number
  /** The maximum number of writes in one commit. */
  readonly maxWrites: number
  /** The longest wait of a commit while further turns of the event loop bring writes. */
  readonly maxMs: number
}

/**
 * Decides how long a commit waits for further writes: always until this turn of the event loop ends. Callers that were answered
 * together send their next writes within a few turns, and each saved commit saves a sync. So after a shared commit, the next
 * commit also waits: as long as each turn brings further writes and, after a turn without one, for a share of the time of a sync,
 * until as many writes wait as last time. Otherwise the callers would split into two halves that wait for each other's syncs. A
 * lone writer never waits for another turn.
 */
export const commitDelay = ({ waitingCount, maxWrites, maxMs }: CommitDelayOptions) => {
  let expectedWrites = 1
  let waitMs = 0

  return {
    /** Call after a commit of `count` writes whose sync took `syncMs`. */
    noteCommit(count: number, syncMs: number) {
      expectedWrites = Math.min(count + waitingCount(), maxWrites)
      waitMs = maxMs === 0 ? 0 : syncMs * shareOfSync
    },

    async waitForWrites() {
      const fromMs = performance.now()
      let countBefore = 0
      const mustWait = () => {
        const spentMs = performance.now() - fromMs
        if (expectedWrites === 1 || waitingCount() >= maxWrites) return false
        if (waitingCount() > countBefore) return spentMs < Math.max(maxMs, waitMs)
        return waitingCount() < expectedWrites && spentMs < waitMs
      }
      await endOfTurn()
      while (mustWait()) {
        countBefore = waitingCount()
        await endOfTurn()
      }
    },
  }
}

/** The longest wait after a turn that brought no write, as a share of the time of a sync. */
const shareOfSync = 0.5

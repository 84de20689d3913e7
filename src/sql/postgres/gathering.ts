import type { Limits } from './limits.ts'

/** Somebody who waits for an answer. */
export interface Waiting {
  readonly requestedAt: number
  readonly reject: (error: unknown) => void
}

interface GatheringParts<W> {
  readonly limits: Limits
  /** How many runs may be under way. */
  readonly runs: number
  /** How many may share one run. */
  readonly most: number
  /** Answers all of them. */
  readonly run: (gathered: readonly W[]) => Promise<void>
  /** Made for those who waited too long, or find too many waiting. */
  readonly refusal: () => unknown
}

/** Those who ask in one turn of the event loop, or while all runs are under way, share the next run. */
export const gathering = <W extends Waiting>({ limits, runs, most, run, refusal }: GatheringParts<W>) => {
  const { maxWaiting, waitMs } = limits
  let waiting: W[] = []
  let underWay = 0
  let isScheduled = false
  let isWatching = false

  const beginSoon = () => {
    if (isScheduled || underWay >= runs || waiting.length === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      begin()
    })
  }

  const begin = () => {
    if (waiting.length === 0) return
    const gathered = waiting.slice(0, most)
    waiting = waiting.slice(most)
    underWay++
    beginSoon()
    void run(gathered).finally(() => {
      underWay--
      beginSoon()
    })
  }

  const refuseLate = () => {
    const isLate = ({ requestedAt }: W) => performance.now() - requestedAt >= waitMs
    const late = waiting.filter(isLate)
    waiting = waiting.filter((each) => !isLate(each))
    for (const { reject } of late) reject(refusal())
    isWatching = false
    if (waiting.length > 0) watch(limits.gatheringCheckMs)
  }
  const watch = (ms: number) => {
    if (isWatching) return
    isWatching = true
    setTimeout(refuseLate, ms).unref()
  }

  return {
    add(one: W) {
      if (waiting.length >= maxWaiting) return one.reject(refusal())
      waiting.push(one)
      beginSoon()
      watch(waitMs)
    },

    /** Those who have waited before come first. */
    addAgain(some: readonly W[]) {
      waiting = [...some, ...waiting]
    },
  }
}

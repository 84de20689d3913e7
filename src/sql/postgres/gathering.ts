interface GatheringParts<W> {
  /** How many runs may be under way. */
  readonly runs: number
  /** How many may share one run. */
  readonly most: number
  readonly run: (gathered: readonly W[]) => Promise<void>
}

/** Those added in one turn of the event loop, or while all runs are under way, share the next run. */
export const gathering = <W>({ runs, most, run }: GatheringParts<W>) => {
  let waiting: W[] = []
  let underWay = 0
  let isScheduled = false

  const beginSoon = () => {
    if (isScheduled || underWay >= runs || waiting.length === 0) return
    isScheduled = true
    setImmediate(begin)
  }

  const begin = () => {
    isScheduled = false
    if (underWay >= runs) return
    const gathered = waiting.slice(0, most)
    if (gathered.length === 0) return
    waiting = waiting.slice(most)
    underWay++
    void run(gathered).finally(() => {
      underWay--
      // At once: the server works on these while the answers to the others are written.
      begin()
    })
    beginSoon()
  }

  return {
    add(one: W) {
      waiting.push(one)
      beginSoon()
    },

    /** Those who have waited before come first. */
    addAgain(some: readonly W[]) {
      waiting = [...some, ...waiting]
    },
  }
}

interface GatheringParts<W> {
  /** The maximum number of concurrent runs. */
  readonly runs: number
  /** The maximum number of items in a run. */
  readonly most: number
  readonly run: (gathered: readonly W[]) => Promise<void>
}

/** Items that are added in one turn of the event loop, or while all runs are busy, share the next run. */
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
      // Begins at once, so that the server works on this run while the previous answers are written.
      begin()
    })
    beginSoon()
  }

  return {
    add(one: W) {
      waiting.push(one)
      beginSoon()
    },

    /** Puts items back in front of those that wait. */
    addAgain(some: readonly W[]) {
      waiting = [...some, ...waiting]
    },
  }
}

interface BatcherOptions<W> {
  /** The maximum number of batches that run at the same time. */
  readonly maxConcurrent: number
  /** The maximum number of items in a batch. */
  readonly maxItems: number
  readonly runBatch: (batch: readonly W[]) => Promise<void>
}

/** Runs items in batches. Items that are added in one turn of the event loop, or while no batch can start, share the next batch. */
export const batcher = <W>({ maxConcurrent, maxItems, runBatch }: BatcherOptions<W>) => {
  let queue: W[] = []
  let runningCount = 0
  let isScheduled = false

  const scheduleBatch = () => {
    if (isScheduled || runningCount >= maxConcurrent || queue.length === 0) return
    isScheduled = true
    setImmediate(startBatch)
  }

  const startBatch = () => {
    isScheduled = false
    if (runningCount >= maxConcurrent) return
    const batch = queue.slice(0, maxItems)
    if (batch.length === 0) return
    queue = queue.slice(maxItems)
    runningCount++
    void runBatch(batch).finally(() => {
      runningCount--
      // The next batch starts at once, so that the server works on it while the previous answers are written.
      startBatch()
    })
    scheduleBatch()
  }

  return {
    add(item: W) {
      queue.push(item)
      scheduleBatch()
    },

    /** Puts items back in front of the waiting items. */
    addFirst(items: readonly W[]) {
      queue = [...items, ...queue]
    },
  }
}

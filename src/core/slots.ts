interface SlotOptions {
  readonly places: number
  readonly maxWaiting: number
  readonly waitMs?: number
  /** Limits the queue to the callers that can be served in this time at the recent pace. `minQueue` callers may always wait. */
  readonly targetWaitMs?: number
  /** The error for a caller that has waited too long or finds the queue full. */
  readonly refusal: () => unknown
}

const minQueue = 8

/** Limits how many callers work at the same time. Further callers wait in a queue, which is also limited. */
export const slots = (options: SlotOptions) => {
  const { places, maxWaiting, waitMs, targetWaitMs = Number.POSITIVE_INFINITY, refusal } = options
  let limit = places
  let taken = 0
  const queue = new Set<() => void>()
  const pace = paceMeter()
  const capacity = () => Math.min(maxWaiting, Math.max(minQueue, targetWaitMs / pace.meanIntervalMs()))

  const wait = () =>
    new Promise<void>((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer)
        queue.delete(admit)
        resolve()
      }
      const giveUp = () => {
        queue.delete(admit)
        reject(refusal())
      }
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs)
      queue.add(admit)
    })

  const takeNow = (): boolean => {
    if (taken >= limit) return false
    taken++
    return true
  }

  const take = async () => {
    if (takeNow()) return
    if (queue.size >= capacity()) throw refusal()
    await wait()
  }

  const release = () => {
    const [admitFirst] = queue
    pace.noteServed(admitFirst !== undefined)
    if (admitFirst && taken <= limit) admitFirst()
    else taken--
  }

  /** Changes the number of places, for example while a database server accepts fewer connections than configured. */
  const setLimit = (count: number) => {
    limit = count
    for (const admit of queue) if (takeNow()) admit()
  }

  return {
    get limit() {
      return limit
    },
    taken: () => taken,
    waiting: () => queue.size,

    setLimit,
    take,
    release,

    /** Does the work as soon as a place is free. */
    async use<T>(work: () => Promise<T>): Promise<T> {
      if (!takeNow()) await take()
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}

/** Measures how often a waiting caller is served. An empty queue resets the measurement. */
const paceMeter = () => {
  let meanIntervalMs = 0
  let lastServedMs: number | undefined
  return {
    meanIntervalMs: () => meanIntervalMs,
    noteServed(isNextWaiting: boolean) {
      const now = performance.now()
      if (lastServedMs !== undefined) meanIntervalMs += (now - lastServedMs - meanIntervalMs) / 8
      lastServedMs = isNextWaiting ? now : undefined
      if (!isNextWaiting) meanIntervalMs = 0
    },
  }
}

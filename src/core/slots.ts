interface SlotLimits {
  /** How many may be taken at once. */
  readonly places: number
  readonly maxWaiting: number
  /** How long they wait at most, if there is a limit. */
  readonly waitMs?: number
  /** No more may wait than can be served in this time, judging by those before them; a few always may. */
  readonly aimMs?: number
  /** Made for a caller who waited too long, or finds the queue full. */
  readonly refusal: () => unknown
}

export type Slots = ReturnType<typeof slots>

const alwaysWaiting = 8

/** A bounded number of places, and a bounded queue for them. */
export const slots = ({
  places,
  maxWaiting,
  waitMs,
  aimMs = Number.POSITIVE_INFINITY,
  refusal,
}: SlotLimits) => {
  let limit = places
  let taken = 0
  const queue = new Set<() => void>()
  const pacing = pace()
  const capacity = () => Math.min(maxWaiting, Math.max(alwaysWaiting, aimMs / pacing.everyMs()))

  const wait = () =>
    new Promise<void>((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        queue.delete(enter)
        resolve()
      }
      const giveUp = () => {
        queue.delete(enter)
        reject(refusal())
      }
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs)
      queue.add(enter)
    })

  /** Takes a place if one is free. */
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
    const [first] = queue
    pacing.served(first !== undefined)
    if (first && taken <= limit) first()
    else taken--
  }

  /** Changes how many places there are, for as long as there are fewer than were asked for. */
  const setLimit = (count: number) => {
    limit = count
    for (const enter of queue) if (takeNow()) enter()
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

    /** Works in a place, at once if one is free. */
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

/** How often a queue has recently been served. An emptied queue says nothing about the next one. */
const pace = () => {
  let meanIntervalMs = 0
  let sinceMs: number | undefined
  return {
    everyMs: () => meanIntervalMs,
    served(isNextWaiting: boolean) {
      const now = performance.now()
      if (sinceMs !== undefined) meanIntervalMs += (now - sinceMs - meanIntervalMs) / 8
      sinceMs = isNextWaiting ? now : undefined
      if (!isNextWaiting) meanIntervalMs = 0
    },
  }
}

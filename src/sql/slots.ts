interface SlotLimits {
  /** How many there are at once. */
  readonly places: number
  readonly waiting: number
  readonly waitMs: number
  /** No more wait than are served in so long, as far as those before them tell; a few may always. */
  readonly aimMs?: number
  /** What those hear who would wait too long, or in too long a line. */
  readonly refusal: () => unknown
}

export type Slots = ReturnType<typeof slots>

const alwaysWaiting = 8

/** A bounded number of things at once, and a bounded line of those who wait for one. */
export const slots = ({ places, waiting, waitMs, aimMs = Number.POSITIVE_INFINITY, refusal }: SlotLimits) => {
  let free = places
  const line = new Set<() => void>()
  const served = pace()
  const room = () => Math.min(waiting, Math.max(alwaysWaiting, aimMs / served.everyMs()))

  const wait = () =>
    new Promise<void>((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        line.delete(enter)
        resolve()
      }
      const timer = setTimeout(() => {
        line.delete(enter)
        reject(refusal())
      }, waitMs)
      line.add(enter)
    })

  return {
    limit: places,
    taken: () => places - free,
    waiting: () => line.size,

    /** Takes one if nobody must wait for it. */
    takeNow(): boolean {
      if (free === 0) return false
      free--
      return true
    },

    async take() {
      if (free > 0) free--
      else if (line.size >= room()) throw refusal()
      else await wait()
    },

    give() {
      const [first] = line
      served.one(first !== undefined)
      if (first) first()
      else free++
    },
  }
}

/** How often one of a line is served, of late. A line that has ended tells nothing of the next. */
const pace = () => {
  let everyMs = 0
  let sinceMs: number | undefined
  return {
    everyMs: () => everyMs,
    one(isNextWaiting: boolean) {
      const now = performance.now()
      if (sinceMs !== undefined) everyMs += (now - sinceMs - everyMs) / 8
      sinceMs = isNextWaiting ? now : undefined
      if (!isNextWaiting) everyMs = 0
    },
  }
}

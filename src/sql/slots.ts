export interface SlotLimits {
  readonly taken: number
  readonly waiting: number
  readonly waitMs: number
  /** What those hear who would wait too long, or in too long a line. */
  readonly refusal: () => Error
}

export type Slots = ReturnType<typeof slots>

/** A bounded number of things at once, and a bounded line of those who wait for one. */
export const slots = ({ taken, waiting, waitMs, refusal }: SlotLimits) => {
  let free = taken
  const line = new Set<() => void>()

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
    limit: taken,
    taken: () => taken - free,
    waiting: () => line.size,

    /** Takes one if nobody must wait for it. */
    takeNow(): boolean {
      if (free === 0) return false
      free--
      return true
    },

    async take() {
      if (free > 0) free--
      else if (line.size >= waiting) throw refusal()
      else await wait()
    },

    give() {
      const [first] = line
      if (first) first()
      else free++
    },
  }
}

import { bodiesLimitBytes, uncountedBytes } from '#http/limits.ts'

/** One body's share of the memory that is set aside for all bodies. */
interface Hold {
  /** Takes room for a body that has reached this size. False if there is none. */
  grow(sizeBytes: number): boolean
  giveBack(): void
}

/** This many bodies of the largest size always find room, whatever that size is. */
const largestBodies = 4

/** The memory of all bodies that are still arriving or being inflated, across all connections. */
export const heldBytes = (limitBytes: number) => {
  let allBytes = 0
  return (bodyLimitBytes: number): Hold => {
    const mostBytes = Math.max(limitBytes, largestBodies * bodyLimitBytes)
    let ownBytes = 0
    return {
      grow(sizeBytes) {
        const moreBytes = sizeBytes - uncountedBytes - ownBytes
        if (moreBytes <= 0) return true
        if (allBytes + moreBytes > mostBytes) return false
        allBytes += moreBytes
        ownBytes += moreBytes
        return true
      },
      giveBack() {
        allBytes -= ownBytes
        ownBytes = 0
      },
    }
  }
}

/** One for the whole process. */
export const bodiesHeld = heldBytes(bodiesLimitBytes)

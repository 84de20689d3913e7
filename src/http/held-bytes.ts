import { bodiesLimitBytes, uncountedBytes } from './limits.ts'

/** What one body holds of the memory that is there for all of them. */
export interface Hold {
  /** So large it is now. False where there is no room for it. */
  grow(sizeBytes: number): boolean
  giveBack(): void
}

/** Of the largest body so many always find room, however large it may be. */
const largestBodies = 4

/** What bodies hold that are still coming, or are being inflated, all connections together. */
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

/** Of the process. */
export const bodiesHeld = heldBytes(bodiesLimitBytes)

import { bodiesLimitBytes, uncountedBytes } from '#http/wire/limits.ts'

/** The memory that one body has reserved. */
interface Share {
  /** Reserves memory for a body that has reached this size. False if no memory is left. */
  grow(sizeBytes: number): boolean
  release(): void
}

/** The budget always has room for this many bodies of the largest permitted size. */
const guaranteedBodies = 4

/** Limits the memory of all bodies that are still arriving or being inflated, across all connections. */
export const memoryBudget = (limitBytes: number) => {
  let allBytes = 0
  return (bodyLimitBytes: number): Share => {
    const maxBytes = Math.max(limitBytes, guaranteedBodies * bodyLimitBytes)
    let ownBytes = 0
    return {
      grow(sizeBytes) {
        const addedBytes = sizeBytes - uncountedBytes - ownBytes
        if (addedBytes <= 0) return true
        if (allBytes + addedBytes > maxBytes) return false
        allBytes += addedBytes
        ownBytes += addedBytes
        return true
      },
      release() {
        allBytes -= ownBytes
        ownBytes = 0
      },
    }
  }
}

export const bodyMemory = memoryBudget(bodiesLimitBytes)

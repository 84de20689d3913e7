import { readFileSync } from 'node:fs'
import { connectionsLimit, keptDescriptors } from '#http/limits.ts'

/** How many connections the API may hold, so that files, the database and the management still have room. */
export const connectionsFor = (descriptors: number) =>
  Math.min(connectionsLimit, Math.max(descriptors - keptDescriptors, Math.floor(descriptors / 2)))

/** How many files and connections the system lets this process have at once. */
export const descriptorLimit = (limits: string | undefined): number =>
  Number(/^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1] ?? usualDescriptors)

/** What Linux says of this process; other systems say nothing. */
export const ownLimits = (): string | undefined => {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return undefined
  }
}

/** What most systems give that do not say. */
const usualDescriptors = 10_240

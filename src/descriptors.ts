import { readFileSync } from 'node:fs'
import { connectionsLimit, keptDescriptors } from '#http/limits.ts'

/** How many connections the API may hold, so that files, the database and the management still have room. */
export const connectionsFor = (descriptors: number) =>
  Math.min(connectionsLimit, Math.max(descriptors - keptDescriptors, Math.floor(descriptors / 2)))

/** How many files and connections the system lets this process have at once. */
export const descriptorLimit = () => {
  try {
    const told = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    return told === undefined ? usualDescriptors : Number(told)
  } catch {
    return usualDescriptors
  }
}

/** What systems give that do not tell. */
const usualDescriptors = 10_240

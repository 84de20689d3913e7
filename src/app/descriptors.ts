import { readFileSync } from 'node:fs'
import { connectionsLimit, keptDescriptors } from '#http/wire/limits.ts'

/** How many connections the API may hold while leaving room for files, the database and the management listener. */
export const connectionsFor = (descriptors: number) =>
  Math.min(connectionsLimit, Math.max(descriptors - keptDescriptors, Math.floor(descriptors / 2)))

/** How many files and connections the system lets this process have open at once. */
export const descriptorLimit = (limits: string | undefined): number =>
  Number(/^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1] ?? defaultDescriptors)

/** What Linux reports about this process; other systems report nothing. */
export const ownLimits = (): string | undefined => {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return undefined
  }
}

/** What most systems that do not report a limit allow. */
const defaultDescriptors = 10_240

import { memoizeSuccess } from '#core/once.ts'
import { type Change, isAfter, type Position } from '#http/api/change.ts'
import type { Database } from '#sql/database.ts'
import { logOfChanges } from './change-log.ts'

interface Source {
  /** The change with this number and those after it, up to the end of a unit. */
  after(number: number, size: number): Promise<readonly Change[]>
  newest(size: number): Promise<readonly Change[]>
}

/** How many changes are kept in memory, and how many one statement reads. */
const maxHeld = 1_000
const batchSize = 100

/** The newest changes, read once for all waiting readers. Nothing is read while nobody waits. */
export const changeTail = (db: Database, source: Source) => {
  let held: readonly Change[] = []
  let arrivals = 0
  let isReading = false
  let isBehind = false
  let isEnded = false
  const waiting = new Set<() => void>()

  const wake = () => {
    arrivals++
    for (const go of waiting) go()
  }

  const onPayload = () => {
    isBehind = true
    if (isReading) return
    if (waiting.size > 0) return void readOn()
    held = []
    wake()
  }

  /** If reading fails, the waiting readers read for themselves and see the error. */
  const readOn = async () => {
    isReading = true
    try {
      while (isBehind) {
        isBehind = false
        held = await extended()
      }
    } catch {
      held = []
    }
    isReading = false
    wake()
  }

  /** Starts again with the newest changes if the database no longer has the last one in memory, which it has lost. */
  const extended = async () => {
    const last = held.at(-1)
    const [same, ...more] = last ? await source.after(last.number, batchSize) : []
    if (!last || same?.id !== last.id) return source.newest(batchSize)
    if (more.length >= batchSize - 1) isBehind = true
    return [...held, ...more].slice(-maxHeld)
  }

  return {
    follow: memoizeSuccess(
      async () => void (await db.listen(logOfChanges.topic, { onPayload, onLoss: onPayload })),
    ),

    /** Asks the database where the log ends if somebody waits, because a notification may be late or lost. */
    async look() {
      if (waiting.size === 0) return
      const [last] = await source.newest(1)
      if (last?.id !== held.at(-1)?.id) onPayload()
    },

    arrived: () => arrivals,

    arrival: (since: number, limitMs: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (arrivals !== since || isEnded || signal.aborted || limitMs <= 0) return resolve()
        const go = () => {
          waiting.delete(go)
          clearTimeout(timer)
          signal.removeEventListener('abort', go)
          resolve()
        }
        const timer = setTimeout(go, limitMs)
        waiting.add(go)
        signal.addEventListener('abort', go)
      }),

    /** The changes in memory after a position. Undefined if some may be missing. */
    after(position: Position): readonly Change[] | undefined {
      const at = position.number - (held[0]?.number ?? Number.POSITIVE_INFINITY)
      const anchor = held[at]
      return anchor && isAfter(position, anchor) ? held.slice(at + 1) : undefined
    },

    hasEnded: () => isEnded,

    end() {
      isEnded = true
      wake()
    },
  }
}

import { memoizeSuccess } from '#core/once.ts'
import { type Change, isAfter, type Position } from '#http/api/change.ts'
import type { Database } from '#sql/database.ts'
import { changeLogTable } from './change-log.ts'

interface ChangeSource {
  /** At least `size` changes from this number on, if there are so many. Never ends within a unit. */
  from(number: number, size: number): Promise<readonly Change[]>
  newest(size: number): Promise<readonly Change[]>
}

/** The maximum numbers of changes in the cache, and in one statement. */
const maxCached = 1_000
const batchSize = 100

/** Caches the newest changes, which are read once for all waiting readers. Nothing is read while no reader waits. */
export const changeTail = (db: Database, source: ChangeSource) => {
  let cached: readonly Change[] = []
  let arrivalCount = 0
  let isReading = false
  let isBehind = false
  let isEnded = false
  const waitingReaders = new Set<() => void>()

  const wake = () => {
    arrivalCount++
    for (const resume of waitingReaders) resume()
  }

  const onNotification = () => {
    isBehind = true
    if (isReading) return
    if (waitingReaders.size > 0) return void catchUp()
    cached = []
    wake()
  }

  /** If reading fails, the cache is emptied. Then the waiting readers read from the database themselves and get the error. */
  const catchUp = async () => {
    isReading = true
    try {
      while (isBehind) {
        isBehind = false
        cached = await readNewer()
      }
    } catch {
      cached = []
    }
    isReading = false
    wake()
  }

  /** The cached changes and those after them. Starts over with the newest changes if the database has lost the last cached one. */
  const readNewer = async () => {
    const last = cached.at(-1)
    const [same, ...more] = last ? await source.from(last.number, batchSize) : []
    if (!last || same?.id !== last.id) return source.newest(batchSize)
    if (more.length >= batchSize - 1) isBehind = true
    return [...cached, ...more].slice(-maxCached)
  }

  return {
    follow: memoizeSuccess(
      async () =>
        void (await db.listen(changeLogTable.topic, { onPayload: onNotification, onLoss: onNotification })),
    ),

    /** Asks the database for the newest change if a reader waits, because a notification may be late or lost. */
    async checkForMissed() {
      if (waitingReaders.size === 0) return
      const [last] = await source.newest(1)
      if (last?.id !== cached.at(-1)?.id) onNotification()
    },

    arrivalCount: () => arrivalCount,

    nextArrival: (since: number, limitMs: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (arrivalCount !== since || isEnded || signal.aborted || limitMs <= 0) return resolve()
        const resume = () => {
          waitingReaders.delete(resume)
          clearTimeout(timer)
          signal.removeEventListener('abort', resume)
          resolve()
        }
        const timer = setTimeout(resume, limitMs)
        waitingReaders.add(resume)
        signal.addEventListener('abort', resume)
      }),

    /** The cached changes after a position. Undefined if some of them may be missing. */
    after(position: Position): readonly Change[] | undefined {
      const at = position.number - (cached[0]?.number ?? Number.POSITIVE_INFINITY)
      const anchor = cached[at]
      return anchor && isAfter(position, anchor) ? cached.slice(at + 1) : undefined
    },

    hasEnded: () => isEnded,

    close() {
      isEnded = true
      wake()
    },
  }
}

import type { Pause } from '#client/index.ts'
import { store } from './store.ts'

interface Wait {
  /** In epoch milliseconds. */
  readonly until: number
  readonly seconds: number
}

/** The longest current pause that the service asked for. */
export const wait = store<Wait | undefined>(undefined)

const waits = new Set<Wait>()

/** Shows a pause that the service asked for. Other pauses are too short to show. */
export const showPause = ({ waitMs, failure, over }: Pause) => {
  if (!failure.retryAfterMs) return
  const added = { until: Date.now() + waitMs, seconds: Math.round(waitMs / 1_000) }
  waits.add(added)
  show()
  void over.then(() => {
    waits.delete(added)
    show()
  })
}

const show = () => wait.set([...waits].toSorted((one, other) => other.until - one.until)[0])

import type { Pause } from '#client/index.ts'
import { store } from './store.ts'

interface ShownPause {
  readonly untilMs: number
  readonly seconds: number
}

/** The longest of the pauses that the service has asked for and that are not over yet. */
export const currentPause = store<ShownPause | undefined>(undefined)

const pauses = new Set<ShownPause>()

/** Shows a pause if the service asked for it. The client's own pauses are too short to be shown. */
export const showPause = ({ waitMs, failure, over }: Pause) => {
  if (!failure.retryAfterMs) return
  const added = { untilMs: Date.now() + waitMs, seconds: Math.round(waitMs / 1_000) }
  pauses.add(added)
  showLongest()
  void over.then(() => {
    pauses.delete(added)
    showLongest()
  })
}

const showLongest = () =>
  currentPause.set([...pauses].toSorted((one, other) => other.untilMs - one.untilMs)[0])

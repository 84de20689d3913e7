export interface PauseLimits {
  /** The longest that a stream may last. */
  readonly streamMs: number
  /** The longest single pause of the stream's reader. */
  readonly pauseMs: number
  /** The longest lag of a reader behind the minimum pace while other callers wait for its stream's slot. */
  readonly lagMs: number
  readonly minRowsPerSecond: number
}

interface ReaderPausesOptions {
  readonly limits: PauseLimits
  /** True if other callers wait for the stream's slot. */
  readonly isSlotNeeded: () => boolean
  /** Ends the stream even if its reader never comes back. */
  readonly end: () => void
}

const checkIntervalMs = 250

/** Limits how long a reader may keep its stream waiting. A fast reader earns no credit for later pauses. */
export const readerPauses = ({ limits, isSlotNeeded, end }: ReaderPausesOptions) => {
  const { streamMs, pauseMs, lagMs, minRowsPerSecond } = limits
  const deadline = performance.now() + streamMs
  let lag = 0
  let pausedAt = 0
  let timer: NodeJS.Timeout | undefined

  const check = () => {
    const now = performance.now()
    const paused = now - pausedAt
    const isTooSlow = lag + paused >= lagMs && isSlotNeeded()
    if (now >= deadline || paused >= pauseMs || isTooSlow) return end()
    const untilLagMs = Math.max(checkIntervalMs, lagMs - lag - paused)
    timer = setTimeout(check, Math.ceil(Math.min(deadline - now, pauseMs - paused, untilLagMs)))
  }

  return {
    beginPause() {
      pausedAt = performance.now()
      check()
    },

    /** Call when the reader has consumed this many rows and wants more. */
    endPause(rows: number) {
      clearTimeout(timer)
      lag += performance.now() - pausedAt - (rows * 1000) / minRowsPerSecond
      lag = Math.min(Math.max(lag, 0), lagMs)
    },

    stop: () => clearTimeout(timer),
  }
}

interface PauseLimits {
  /** How long a stream may last, and how long its reader may pause. */
  readonly streamMs: number
  readonly pauseMs: number
  /** How far a reader may fall behind the minimum pace while others wait for its place. */
  readonly lagMs: number
  readonly leastRowsPerSecond: number
}

interface ReaderPausesParts {
  readonly limits: PauseLimits
  readonly isWaitedFor: () => boolean
  /** Ends the stream, even if its reader never comes back. */
  readonly end: () => void
}

const lookEveryMs = 250

/** Watches how long a reader keeps its stream waiting. Reading fast earns no credit for longer pauses later. */
export const readerPauses = ({ limits, isWaitedFor, end }: ReaderPausesParts) => {
  const { streamMs, pauseMs, lagMs, leastRowsPerSecond } = limits
  const deadline = performance.now() + streamMs
  let lag = 0
  let begunAt = 0
  let timer: NodeJS.Timeout | undefined

  const look = () => {
    const now = performance.now()
    const paused = now - begunAt
    const isTooSlow = lag + paused >= lagMs && isWaitedFor()
    if (now >= deadline || paused >= pauseMs || isTooSlow) return end()
    const untilLagMs = Math.max(lookEveryMs, lagMs - lag - paused)
    timer = setTimeout(look, Math.ceil(Math.min(deadline - now, pauseMs - paused, untilLagMs)))
  }

  return {
    begin() {
      begunAt = performance.now()
      look()
    },

    /** The reader has consumed this many rows, and asks for more. */
    over(rows: number) {
      clearTimeout(timer)
      lag += performance.now() - begunAt - (rows * 1000) / leastRowsPerSecond
      lag = Math.min(Math.max(lag, 0), lagMs)
    },

    stop: () => clearTimeout(timer),
  }
}

import { monitorEventLoopDelay } from 'node:perf_hooks'

export type Lag = ReturnType<typeof monitorEventLoopDelay>

interface LoopLag {
  read(): Lag
  /** A running monitor wakes the process for each sample, even if it has nothing else to do. */
  stop(): void
}

const resolutionMs = 10

/** How far back a reading reaches: at least this far, at most twice as far. */
const windowMs = 8_000

/**
 * How late the event loop was recently. If every reading reset the histogram, two watchers would each see only part of it.
 * So there are two histograms, reset in turn, and a reading uses the one that has run longer.
 */
export const loopLag = (): LoopLag => {
  const [one, other] = [monitor(), monitor()]
  let [older, newer] = [one, other]
  const timer = setInterval(() => {
    older.reset()
    ;[older, newer] = [newer, older]
  }, windowMs).unref()
  return {
    read: () => older,
    stop() {
      clearInterval(timer)
      one.disable()
      other.disable()
    },
  }
}

const monitor = () => {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  return histogram
}

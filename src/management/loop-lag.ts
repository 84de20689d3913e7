import { monitorEventLoopDelay } from 'node:perf_hooks'

export type Lag = ReturnType<typeof monitorEventLoopDelay>

const resolutionMs = 10

/** How far back a reading reaches: at least this far, at most twice as far. */
const windowMs = 8_000

/**
 * Measures how late the event loop was recently. If every reading reset the histogram, two readers would each see only a part.
 * So there are two histograms, reset alternately, and a reading uses the one that has run longer.
 */
export const loopLag = () => {
  const [one, other] = [monitor(), monitor()]
  let [older, newer] = [one, other]
  const timer = setInterval(() => {
    older.reset()
    ;[older, newer] = [newer, older]
  }, windowMs).unref()
  return {
    read: () => older,

    /** Stops the monitors. A running one wakes the process for each sample, even if it has nothing else to do. */
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

import { monitorEventLoopDelay } from 'node:perf_hooks'

export type Lag = ReturnType<typeof monitorEventLoopDelay>

const resolutionMs = 10

/** A reading covers at least this time, and at most twice as long. */
const windowMs = 8_000

/**
 * Measures how late the event loop was recently. If every reading reset the histogram, each of two scrapers would see only a part of
 * the delays. So there are two histograms, which are reset in turn, and a reading uses the one that has run longer.
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

    /** Stops the monitors. A running monitor wakes the process for each sample, even if the process has nothing else to do. */
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

import { monitorEventLoopDelay } from 'node:perf_hooks'

export type Lag = ReturnType<typeof monitorEventLoopDelay>

const resolutionMs = 10

/** A reading covers at least this time, and at most twice as long. */
const windowMs = 8_000

/**
 * Measures the recent delays of the event loop. If a reading reset its histogram, each of two scrapers would see only some delays. So
 * there are two histograms, which are reset in turn, and a reading uses the older one.
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

import { monitorEventLoopDelay } from 'node:perf_hooks'

export type Lag = ReturnType<typeof monitorEventLoopDelay>

const resolutionMs = 10

/** How far back a reading reaches: at least this far, at most twice as far. */
const windowMs = 8_000

/**
 * How late the event loop was recently. If every reading reset the histogram, two watchers would each see only part of it.
 * So there are two histograms, reset in turn, and a reading uses the one that has run longer.
 */
export const loopLag = (): (() => Lag) => {
  const [one, other] = [monitor(), monitor()]
  let [older, newer] = [one, other]
  setInterval(() => {
    older.reset()
    ;[older, newer] = [newer, older]
  }, windowMs).unref()
  return () => older
}

const monitor = () => {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  return histogram
}

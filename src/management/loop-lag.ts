import { monitorEventLoopDelay } from 'node:perf_hooks'

export type Lag = ReturnType<typeof monitorEventLoopDelay>

const lookEveryMs = 10

/** How far back a look sees, at least; at most twice as far. */
const windowMs = 8_000

/**
 * How late the event loop was recently. If every look began the histogram anew, two watchers would each see only a part.
 * So there are two, of which one begins anew in turn, and a look sees the one that has run longer.
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
  const histogram = monitorEventLoopDelay({ resolution: lookEveryMs })
  histogram.enable()
  return histogram
}

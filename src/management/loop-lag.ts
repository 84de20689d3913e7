import { monitorEventLoopDelay } from 'node:perf_hooks'

export type Lag = ReturnType<typeof monitorEventLoopDelay>

const lookEveryMs = 10

/** How far back a look sees, at least; at most twice as far. */
const windowMs = 8_000

/**
 * How late the event loop was of late. A histogram that begins anew whenever somebody looks shows each of two watchers
 * what the other left: here one of two begins anew in turn, and whoever looks sees the one that has run longer.
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

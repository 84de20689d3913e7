import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Counts } from './counts.ts'
import { secondBounds } from './requests.ts'

/** How often the counts are read, and how many readings are kept: one hour of them. */
const intervalMs = 15_000
const keptReadings = 240

/** Only the console reads this lag, so each reading may reset it. A finer resolution costs more in an idle process. */
const lagResolutionMs = 20

/** The counts up to a time, and how late the event loop was since the previous reading. */
interface Reading extends ReturnType<Counts['totals']> {
  readonly atMs: number
  readonly lagMeanMs: number
  readonly lagMaxMs: number
}

/** Keeps the past hour in memory for the charts of the console. */
export const openHistory = (counts: Counts) => {
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs })
  const kept: Reading[] = []
  const read = (): Reading => ({
    // Setting the clock does not move this time.
    atMs: Math.round(performance.timeOrigin + performance.now()),
    ...counts.totals(),
    lagMeanMs: lateMs(lag.mean),
    lagMaxMs: lateMs(lag.max),
  })
  const keep = () => {
    kept.push(read())
    if (kept.length > keptReadings) kept.shift()
    lag.reset()
  }
  lag.enable()
  keep()
  const timer = setInterval(keep, intervalMs).unref()
  return {
    /** The last reading is taken now. */
    json: () => JSON.stringify({ secondBounds, readings: [...kept, read()] }),
    stop() {
      clearInterval(timer)
      lag.disable()
    },
  }
}

/** A delay counts from the previous sample, so it includes the interval. Without samples it is NaN. */
const lateMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - lagResolutionMs)

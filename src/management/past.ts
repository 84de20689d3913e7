import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Counts } from './counts.ts'
import { secondBounds } from './requests.ts'

/** How often the counts are read, and how many readings are kept: those of an hour. */
const intervalMs = 15_000
const keptReadings = 240

/** The console alone reads this lag, so that each reading may begin a new one. A finer one costs more of an idle process. */
const lagResolutionMs = 20

/** What was counted until a time, and how late the event loop was since the reading before. */
interface Reading extends ReturnType<Counts['totals']> {
  readonly atMs: number
  readonly lagMeanMs: number
  readonly lagMaxMs: number
}

/** What the charts of the console draw: the past hour, in memory. */
export const openPast = (counts: Counts) => {
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs })
  const kept: Reading[] = []
  const read = (): Reading => ({
    // A clock that is set does not move it.
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
    /** The last reading is of now. */
    json: () => JSON.stringify({ secondBounds, readings: [...kept, read()] }),
    stop() {
      clearInterval(timer)
      lag.disable()
    },
  }
}

/** A delay counts from the sample before. That of no samples is not a number. */
const lateMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - lagResolutionMs)

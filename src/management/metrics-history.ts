import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Counts } from './counts.ts'
import { durationBucketsSeconds } from './requests.ts'

const intervalMs = 15_000
/** The readings of one hour. */
const maxReadings = 240

/** A finer resolution would cost more CPU time in an idle process. */
const lagResolutionMs = 20

/** The totals at a time, and the delays of the event loop since the previous reading. */
interface Reading extends ReturnType<Counts['totals']> {
  readonly atMs: number
  readonly lagMeanMs: number
  readonly lagMaxMs: number
}

/** Stores the readings of the past hour in memory, for the charts of the console. */
export const openHistory = (counts: Counts) => {
  // Only the console uses this histogram, so each reading may reset it.
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs })
  const readings: Reading[] = []
  const read = (): Reading => ({
    // Does not jump when the system clock is adjusted.
    atMs: Math.round(performance.timeOrigin + performance.now()),
    ...counts.totals(),
    lagMeanMs: delayMs(lag.mean),
    lagMaxMs: delayMs(lag.max),
  })
  const record = () => {
    readings.push(read())
    if (readings.length > maxReadings) readings.shift()
    lag.reset()
  }
  lag.enable()
  record()
  const timer = setInterval(record, intervalMs).unref()
  return {
    /** The stored readings and a current one, in JSON. */
    json: () => JSON.stringify({ secondBounds: durationBucketsSeconds, readings: [...readings, read()] }),
    stop() {
      clearInterval(timer)
      lag.disable()
    },
  }
}

/** The histogram measures from the previous sample, so the interval is subtracted. Without samples the delay is NaN, which becomes 0. */
const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - lagResolutionMs)
